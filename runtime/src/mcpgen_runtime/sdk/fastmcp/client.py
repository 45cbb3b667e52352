"""What generated clients import for fastmcp 4.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_2.client import Connection as Connection
from ...mcp_2.client import Contract as Contract
from ...mcp_2.client import Pin as Pin
from ...mcp_2.client import PromptClient as PromptClient
from ...mcp_2.client import RawResourceReader as RawResourceReader
from ...mcp_2.client import RawToolCaller as RawToolCaller
from ...mcp_2.client import ResourceClient as ResourceClient
from ...mcp_2.client import ToolClient as ToolClient
