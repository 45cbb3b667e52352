"""What the model reads of a value as fastmcp writes it: one block of compact JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic_core import to_json

from .blocks import text_block
from .protocol import ContentBlock


def sdk_blocks(
    value: Any,
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> list[ContentBlock]:
    """The text block of a JSON value: none for null and for an empty array, a string as it is."""
    if value is None or value == []:
        return []
    text = value if isinstance(value, str) else to_json(value).decode()
    return [text_block(text, audience, priority)]
