"""What generated clients import for the official SDK, mcp 1.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_1.client import Connection as Connection
from ...mcp_1.client import Contract as Contract
from ...mcp_1.client import Pin as Pin
from ...mcp_1.client import PromptClient as PromptClient
from ...mcp_1.client import RawResourceReader as RawResourceReader
from ...mcp_1.client import RawToolCaller as RawToolCaller
from ...mcp_1.client import ResourceClient as ResourceClient
from ...mcp_1.client import ToolClient as ToolClient
