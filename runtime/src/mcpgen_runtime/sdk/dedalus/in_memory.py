"""Serve in the same process with dedalus-mcp."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from dedalus_mcp import MCPServer
from mcp.client.session import ClientSession
from mcp.shared.memory import create_connected_server_and_client_session

from .server_adapter import Server


def make_server(name: str) -> MCPServer:
    """Return a server without tools."""
    return MCPServer(name)


def open_connection(server: Server) -> AbstractAsyncContextManager[ClientSession]:
    """Return a session with a server, connected in memory."""
    return create_connected_server_and_client_session(server)


__all__ = ["make_server", "open_connection"]
