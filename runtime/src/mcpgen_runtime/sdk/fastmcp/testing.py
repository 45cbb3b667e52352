"""What generated tests import for fastmcp 4.x: servers and clients in one process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from .requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

# isort: split
from fastmcp import Client, FastMCP

from ... import testing
from ...mcp_2.session import Connection
from ...testing import ClientT, ExamplesBase, bind_handlers, connect_client
from .internals import Server


class FakeServer(testing.FakeServer[Server]):
    """A server in this process whose tools have the given handlers."""

    def _make_server(self, name: str) -> FastMCP[Any]:
        return FastMCP(name)

    def _open_connection(self) -> AbstractAsyncContextManager[Client[Any]]:
        return _open_connection(self.server)


def run_client(
    server: Server, start: Callable[[Connection], Awaitable[ClientT]]
) -> AbstractAsyncContextManager[ClientT]:
    """Connect a client to a server in this process; see `connect_client`."""
    return connect_client(_open_connection(server), start)


def _open_connection(server: Server) -> AbstractAsyncContextManager[Client[Any]]:
    return Client(server)


__all__ = ["ExamplesBase", "FakeServer", "bind_handlers", "run_client"]
