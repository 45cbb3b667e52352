"""Servers of mcp 1.x, and the only module that uses their private members. Tested with mcp 1.22 to 1.30.

A version without such a member makes `bind` raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.tools import Tool
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.context import RequestContext

from ...server_binding import check_server
from ...tool_handlers import find_annotated_parameter
from . import REQUIREMENT

Server: TypeAlias = FastMCP[Any] | LowLevelServer[Any, Any]
"""The servers that can be bound to."""


def get_lowlevel_server(server: Server) -> LowLevelServer[Any, Any]:
    """Return the server that answers the requests, or raise TypeError: the object is not such a server."""
    check_server(server, (FastMCP, LowLevelServer), "a FastMCP or a low-level Server of mcp 1.x")
    if not isinstance(server, FastMCP):
        return server
    low_level: LowLevelServer[Any, Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def get_tools(server: FastMCP[Any]) -> dict[str, Tool]:
    """Return the tools of a `FastMCP` by name, to be changed."""
    manager = REQUIREMENT.read_private(server, "_tool_manager")
    tools: dict[str, Tool] = REQUIREMENT.read_private(manager, "_tools")
    return tools


def find_context_parameters(handler: Callable[..., Any]) -> list[str]:
    """Return the parameters of a handler that take a Context or a RequestContext."""
    contexts = [find_context_parameter(handler), find_annotated_parameter(handler, RequestContext)]
    return [name for name in contexts if name]
