"""What the model reads of a value as the decorators of mcp write it: indented JSON, a block for each item of an array."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic_core import to_json

from .blocks import text_block
from .protocol import ContentBlock


def sdk_blocks(
    value: Any,
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> list[ContentBlock]:
    """The text blocks of a JSON value: none for null, a string as it is, arrays in arrays item by item, too."""
    if value is None:
        return []
    if isinstance(value, list):
        items = cast(list[object], value)
        return [block for item in items for block in sdk_blocks(item, audience, priority)]
    text = value if isinstance(value, str) else to_json(value, indent=2).decode()
    return [text_block(text, audience, priority)]
