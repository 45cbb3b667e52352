"""What generated tests import for dedalus-mcp: servers and clients in one process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from .requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

# isort: split
from dedalus_mcp import MCPServer
from mcp.client.session import ClientSession
from mcp.shared.memory import create_connected_server_and_client_session

from ... import testing
from ...mcp_1.session import Connection
from ...testing import ClientT, ExamplesBase, bind_handlers, connect_client
from .internals import Server


class FakeServer(testing.FakeServer[Server]):
    """A server in this process whose tools have the given handlers."""

    def _make_server(self, name: str) -> MCPServer:
        return MCPServer(name)

    def _open_connection(self) -> AbstractAsyncContextManager[ClientSession]:
        return _open_connection(self.server)


def run_client(
    server: Server, start: Callable[[Connection], Awaitable[ClientT]]
) -> AbstractAsyncContextManager[ClientT]:
    """Connect a client to a server in this process; see `connect_client`."""
    return connect_client(_open_connection(server), start)


def _open_connection(server: Server) -> AbstractAsyncContextManager[ClientSession]:
    return create_connected_server_and_client_session(server)


__all__ = ["ExamplesBase", "FakeServer", "bind_handlers", "run_client"]
