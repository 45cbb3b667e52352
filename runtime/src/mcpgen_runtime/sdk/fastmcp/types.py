"""What modules of tools, resources and prompts import for fastmcp 4.x."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...sdk_types import *


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text block that fastmcp writes: compact JSON, or a string as it is; none for null and `[]`."""
    if value is None or value == []:
        return []
    return [text_block(value if isinstance(value, str) else to_json(value).decode())]
