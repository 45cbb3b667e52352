"""Transports of mcp 2.x, on which fastmcp 4 is built."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.session import Wire
from mcpgen.introspect.transports.base import StreamTransports, StreamWire, TransportLog, dump_message
from mcpgen.introspect.transports.http_client import open_http_client
from mcpgen.schema.values import Json
from mcpgen.targets import HTTP_MODULE, MCP_2, MESSAGE_MODULE


class Mcp2(StreamTransports):
    """Transports of mcp 2.x, which speaks every version."""

    name = MCP_2.title
    knows_discovery = True

    @asynccontextmanager
    async def open_http(
        self, url: Url, credentials: Credentials, log: TransportLog, authentication: Any = None
    ) -> AsyncGenerator[Wire]:
        """Connect to a Streamable HTTP endpoint."""
        transport: Any = importlib.import_module(HTTP_MODULE)
        options = _make_event_limit(transport, log.meter.limits.response_size)
        async with (
            open_http_client(MCP_2.http_client, credentials, log, authentication) as client,
            transport.streamable_http_client(url.text, http_client=client, **options) as (read, write),
        ):
            yield self.make_wire(read, write)

    def make_wire(self, read: Any, write: Any) -> StreamWire:
        """Return the wire over two streams of the SDK's messages."""
        return StreamWire(read, write, _encode, dump_message)


def _make_event_limit(transport: Any, response_size: int) -> dict[str, int]:
    """Return options that raise the SDK's limit for an event, 1 MB, to ours; early versions of mcp 2 have none."""
    parameters = inspect.signature(transport.streamable_http_client).parameters
    return {"max_sse_event_size": response_size + 1} if "max_sse_event_size" in parameters else {}


def _encode(message: dict[str, Json], headers: dict[str, str]) -> Any:
    """Build the SDK's message."""
    types: Any = importlib.import_module(MCP_2.types_module)
    shared: Any = importlib.import_module(MESSAGE_MODULE)
    metadata = shared.ClientMessageMetadata(headers=headers)
    return shared.SessionMessage(types.jsonrpc_message_adapter.validate_python(message), metadata)
