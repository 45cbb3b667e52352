"""The only module of this package that reads private attributes of mcp 2.x."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.server.subscriptions import SubscriptionBus

from ...sdk_requirement import REQUIREMENT


def get_low_level_server(server: MCPServer[Any]) -> Server[Any]:
    """Return the low-level server of an `MCPServer`."""
    low_level: Server[Any] = REQUIREMENT.read_private(server, "_lowlevel_server")
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


def find_path_rules(server: object) -> Callable[[Mapping[str, str]], object] | None:
    """Return a function that names the variable of a URI that the server's rules refuse; None without rules."""
    if not hasattr(server, "_resource_security"):  # an older version, or a low-level server
        return None
    security = REQUIREMENT.read_private(server, "_resource_security")
    return (lambda _: None) if security is None else security.validate
