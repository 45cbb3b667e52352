"""Keywords of which jsonschema-rs gets an implementation in Python, here as in generated packages."""

from __future__ import annotations

from typing import Any, cast

from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.shipped_code import load_runtime_module


def list_custom_keywords(dialect: str) -> dict[str, Any]:
    """Return the implementations for a dialect, as the option `keywords` of `jsonschema-rs` takes them.

    `templates/runtime/custom_keywords.py` has them: keywords that the library does not know, and annotations that it
    would assert.
    """
    return cast("dict[str, Any]", load_runtime_module("custom_keywords").select_custom_keywords(dialect == DRAFT_07))
