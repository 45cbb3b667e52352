"""Servers of mcp 2.x, and the only module that uses their private members. Tested with mcp 2.1 to 2.3.

A version without such a member makes `bind`, or a request that needs it, raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.context_injection import find_context_parameter
from mcp.server.subscriptions import SubscriptionBus

from ...server_binding import check_server
from ...tool_handlers import find_annotated_parameter
from . import REQUIREMENT

Server: TypeAlias = MCPServer[Any] | LowLevelServer[Any]
"""The servers that can be bound to."""


def get_lowlevel_server(server: Server) -> LowLevelServer[Any]:
    """Return the server that answers the requests, or raise TypeError: the object is not such a server."""
    check_server(server, (MCPServer, LowLevelServer), "an MCPServer or a low-level Server of mcp 2.x")
    if not isinstance(server, MCPServer):
        return server
    low_level: LowLevelServer[Any] = REQUIREMENT.read_private(server, "_lowlevel_server")
    return low_level


def get_tools(server: MCPServer[Any]) -> dict[str, Tool]:
    """Return the tools of an `MCPServer` by name, to be changed."""
    manager = REQUIREMENT.read_private(server, "_tool_manager")
    tools: dict[str, Tool] = REQUIREMENT.read_private(manager, "_tools")
    return tools


def get_subscriptions(server: MCPServer[Any]) -> SubscriptionBus:
    """Return the object that sends the notifications of an `MCPServer` to its subscribers."""
    bus: SubscriptionBus = REQUIREMENT.read_private(server, "_subscriptions")
    return bus


def find_context_parameters(handler: Callable[..., Any]) -> list[str]:
    """Return the parameters of a handler that take a Context or a ServerRequestContext."""
    contexts = [find_context_parameter(handler), find_annotated_parameter(handler, ServerRequestContext)]
    return [name for name in contexts if name]
