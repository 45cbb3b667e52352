"""What generated functions for code that a model writes import, for fastmcp 2.13 to 3.x."""

from __future__ import annotations

from ...tool_functions import TextResult as TextResult
from ...tool_functions import ToolFunctions as ToolFunctions
