"""Transports of mcp 1.x, on which dedalus-mcp is built."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.session import Wire
from mcpgen.introspect.transports.base import StreamTransports, StreamWire, TransportLog, dump_message
from mcpgen.introspect.transports.http_client import open_http_client
from mcpgen.schema.values import Json
from mcpgen.targets import HTTP_MODULE, MCP_1, MESSAGE_MODULE


class Mcp1(StreamTransports):
    """Transports of mcp 1.x, which speaks the versions with a handshake, up to 2025-11-25."""

    name = MCP_1.title
    knows_discovery = False

    @asynccontextmanager
    async def open_http(
        self, url: Url, credentials: Credentials, log: TransportLog, authentication: Any = None
    ) -> AsyncGenerator[Wire]:
        """Connect to a Streamable HTTP endpoint."""
        transport: Any = importlib.import_module(HTTP_MODULE)
        if not hasattr(transport, "streamable_http_client"):
            raise IntrospectionError(
                "MG702", "the installed mcp is too old for HTTP", f"pip install '{MCP_1.http_requirement}'"
            )
        async with (
            open_http_client(MCP_1.http_client, credentials, log, authentication) as client,
            transport.streamable_http_client(url.text, http_client=client) as (read, write, _),
        ):
            yield self.make_wire(read, write)

    def make_wire(self, read: Any, write: Any) -> StreamWire:
        """Return the wire over two streams of the SDK's messages."""
        return StreamWire(read, write, _encode, _decode)


def _encode(message: dict[str, Json], headers: dict[str, str]) -> Any:
    """Build the SDK's message; this SDK adds the headers of the protocol itself."""
    types: Any = importlib.import_module(MCP_1.types_module)
    shared: Any = importlib.import_module(MESSAGE_MODULE)
    return shared.SessionMessage(types.JSONRPCMessage.model_validate(message))


def _decode(message: Any) -> dict[str, Json]:
    return dump_message(message.root)
