"""What generated tests import for fastmcp 4.x: servers and clients in one process."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from fastmcp import Client, FastMCP

from ... import testing
from ...mcp_2_client import Connection
from ...testing import ExamplesBase as ExamplesBase
from ...testing import bind_handlers as bind_handlers
from .internals import Server


class FakeServer(testing.FakeServer[Server, Connection]):
    """A server in this process whose tools have the given handlers."""

    _make_server = FastMCP
    _open_connection = Client


run_client = FakeServer.run_client
