"""Set up jsonschema-rs."""

from __future__ import annotations

from typing import Any

from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json


class IgnoredKeyword:
    """What a keyword that asserts nothing does, for `jsonschema-rs`."""

    def __init__(self, schema: Json, value: Json, path: list[str | int]) -> None:
        pass

    def validate(self, instance: Json) -> None:
        """Every value is fine."""


def make_ignored_keywords(dialect: str) -> dict[str, Any]:
    """The keywords that `jsonschema-rs` would assert in a dialect where they are annotations here."""
    return {"contentEncoding": IgnoredKeyword, "contentMediaType": IgnoredKeyword} if dialect == DRAFT_07 else {}
