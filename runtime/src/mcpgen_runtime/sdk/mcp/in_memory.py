"""Serve in the same process with the official SDK, mcp 2.x."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.client import Client
from mcp.server.mcpserver import MCPServer

from .server_adapter import Server


def make_server(name: str) -> MCPServer[Any]:
    """Return a server without tools."""
    return MCPServer(name)


def open_connection(server: Server) -> AbstractAsyncContextManager[Client]:
    """Return a client of a server, connected in memory."""
    return Client(server)


__all__ = ["make_server", "open_connection"]
