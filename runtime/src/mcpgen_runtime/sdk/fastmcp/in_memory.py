"""Serve in the same process with fastmcp."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from fastmcp import Client, FastMCP

from .server_adapter import Server


def make_server(name: str) -> FastMCP[Any]:
    """Return a server without tools."""
    return FastMCP(name)


def open_connection(server: Server) -> AbstractAsyncContextManager[Client[Any]]:
    """Return a client of a server, connected in memory."""
    return Client(server)


__all__ = ["make_server", "open_connection"]
