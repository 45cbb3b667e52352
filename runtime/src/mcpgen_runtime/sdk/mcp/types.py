"""What modules of tools, resources and prompts import for the official SDK, mcp 2.x."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...sdk_types import *


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text blocks that mcp's decorators write: indented JSON, a block for each item of an array.

    There is no block for null. A string is its own text, nested arrays are flattened.
    """
    return TYPES.flat_blocks(value, lambda item: to_json(item, indent=2).decode())
