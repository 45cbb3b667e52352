"""What generated tests import for the official SDK, mcp 1.x: servers and clients in one process."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session

from ... import testing
from ...mcp_1_client import Connection
from ...testing import ExamplesBase as ExamplesBase
from ...testing import bind_handlers as bind_handlers
from .internals import Server


class FakeServer(testing.FakeServer[Server, Connection]):
    """A server in this process whose tools have the given handlers."""

    _make_server = FastMCP
    _open_connection = staticmethod(create_connected_server_and_client_session)


run_client = FakeServer.run_client
