"""Write a value's text as the decorators of mcp do: indented JSON, a block for each item of an array."""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import to_json

from ...content_blocks import text_block
from .protocol import ContentBlock


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text blocks of a JSON value: no block for null, strings unchanged, nested arrays flattened."""
    if value is None:
        return []
    if isinstance(value, list):
        items = cast(list[object], value)
        return [block for item in items for block in sdk_blocks(item)]
    text = value if isinstance(value, str) else to_json(value, indent=2).decode()
    return [text_block(text)]
