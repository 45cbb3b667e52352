"""Serve in the same process with the official SDK, mcp 1.x."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.client.session import ClientSession
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session

from .server_adapter import Server


def make_server(name: str) -> FastMCP[Any]:
    """Return a server without tools."""
    return FastMCP(name)


def open_connection(server: Server) -> AbstractAsyncContextManager[ClientSession]:
    """Return a session with a server, connected in memory."""
    return create_connected_server_and_client_session(server)


__all__ = ["make_server", "open_connection"]
