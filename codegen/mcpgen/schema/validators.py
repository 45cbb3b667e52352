"""Make jsonschema-rs ignore the keywords that are annotations here."""

from __future__ import annotations

from typing import Any

from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json


class IgnoredKeyword:
    """Implementation of a keyword that accepts everything, in the form that `jsonschema-rs` wants."""

    def __init__(self, schema: Json, value: Json, path: list[str | int]) -> None:
        pass

    def validate(self, instance: Json) -> None:
        """Accept every value."""


def make_ignored_keywords(dialect: str) -> dict[str, Any]:
    """Return the keywords that `jsonschema-rs` would assert in this dialect although they are annotations."""
    return {"contentEncoding": IgnoredKeyword, "contentMediaType": IgnoredKeyword} if dialect == DRAFT_07 else {}
