"""Draw contexts for tests of single drawing functions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from mcpgen.samples.context import DrawContext, DrawStyle
from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


def make_context(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> DrawContext:
    """Return a context whose nested values are the first `const` of their schemas, or "nested"."""

    def draw_nested(locations: Sequence[SchemaLocation], depth: int, name: str = "") -> Json:
        return next((location.get("const") for location in locations if location.has("const")), "nested")

    return DrawContext(SchemaDocument(schema, DRAFT_2020_12), Random(seed), style, draw_nested)
