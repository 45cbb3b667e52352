"""What generated functions for code that a model writes import, for the official SDK, mcp 2.x."""

from __future__ import annotations

from ...tool_functions import TextResult as TextResult
from ...tool_functions import ToolFunctions as ToolFunctions
