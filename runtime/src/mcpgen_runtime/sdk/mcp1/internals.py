"""The only module of this package that reads private attributes of mcp 1.x."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.tools import Tool
from mcp.server.lowlevel import Server

from ...sdk_requirement import REQUIREMENT


def get_low_level_server(server: FastMCP[Any]) -> Server[Any, Any]:
    """Return the low-level server of a `FastMCP`."""
    low_level: Server[Any, Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def get_tools(server: FastMCP[Any]) -> dict[str, Tool]:
    """Return the tools of a `FastMCP` by name, to be changed."""
    manager = REQUIREMENT.read_private(server, "_tool_manager")
    tools: dict[str, Tool] = REQUIREMENT.read_private(manager, "_tools")
    return tools
