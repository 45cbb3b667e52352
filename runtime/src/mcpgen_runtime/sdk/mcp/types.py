"""What modules of tools, resources and prompts import for the official SDK, mcp 2.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...sdk_types import *

sdk_blocks = TYPES.indented_blocks
"""Make the text blocks that mcp's decorators write: indented JSON, a block for each item of an array."""
