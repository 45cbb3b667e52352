"""Percent-encode the references of a schema, with the code of generated packages."""

from __future__ import annotations

from typing import Any

from mcpgen.schema.shipped_code import load_runtime_module


def encode_references(schema: Any) -> Any:
    """Return a schema whose references are URI references (RFC 3986): other characters are percent-encoded.

    Returns:
        The same object where no reference needs it, else a copy.
    """
    return load_runtime_module("schema_references").encode_references(schema)
