"""Write a value's text as dedalus-mcp does: spaced JSON, a block for each item of an array."""

from __future__ import annotations

import json
from typing import Any, cast

from ...content_blocks import text_block
from .protocol import ContentBlock


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text blocks of a JSON value: no block for null, strings unchanged, nested arrays flattened."""
    if value is None:
        return []
    if isinstance(value, list):
        items = cast(list[object], value)
        return [block for item in items for block in sdk_blocks(item)]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [text_block(text)]
