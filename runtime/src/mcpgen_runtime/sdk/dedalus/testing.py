"""What generated tests import for dedalus-mcp: servers and clients in one process."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from dedalus_mcp import MCPServer
from mcp.shared.memory import create_connected_server_and_client_session

from ... import testing
from ...mcp_1_client import Connection
from ...testing import ExamplesBase as ExamplesBase
from ...testing import bind_handlers as bind_handlers
from .server import Server


class FakeServer(testing.FakeServer[Server, Connection]):
    """A server in this process whose tools have the given handlers."""

    _make_server = MCPServer
    _open_connection = staticmethod(create_connected_server_and_client_session)


run_client = FakeServer.run_client
