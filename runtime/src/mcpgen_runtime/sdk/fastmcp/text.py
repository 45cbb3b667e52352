"""Write a value's text as fastmcp does: one block of compact JSON."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

from ...content_blocks import text_block
from .protocol import ContentBlock


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text block of a JSON value: no block for null and empty arrays, strings unchanged."""
    if value is None or value == []:
        return []
    text = value if isinstance(value, str) else to_json(value).decode()
    return [text_block(text)]
