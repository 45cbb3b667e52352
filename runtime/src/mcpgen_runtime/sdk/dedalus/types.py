"""What modules of tools, resources and prompts import for dedalus-mcp."""

from __future__ import annotations

import json
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...sdk_types import *


def sdk_blocks(value: Any) -> list[ContentBlock]:
    """Return the text blocks that dedalus-mcp writes: spaced JSON, a block for each item of an array.

    There is no block for null. A string is its own text, nested arrays are flattened.
    """
    return TYPES.flat_blocks(value, lambda item: json.dumps(item, ensure_ascii=False))
