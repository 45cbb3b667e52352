"""The transports of mcp 2.x, which fastmcp 4 is built on, too."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.session import Wire
from mcpgen.introspect.transports.base import (
    StreamWire,
    TransportLog,
    dump_message,
    open_http_client,
    open_memory_streams,
)
from mcpgen.schema.values import Json
from mcpgen.targets import HTTP_MODULE, MCP_2, MEMORY_MODULE, MESSAGE_MODULE


class Mcp2:
    """mcp 2.x speaks every version."""

    name = MCP_2.title
    knows_discovery = True

    @asynccontextmanager
    async def open_http(self, url: Url, access: Credentials, seen: TransportLog) -> AsyncGenerator[Wire]:
        """A Streamable HTTP endpoint."""
        transport: Any = importlib.import_module(HTTP_MODULE)
        async with (
            open_http_client(MCP_2.http_client, access, seen) as client,
            transport.streamable_http_client(url.text, http_client=client, **_align_event_limit(transport, seen)) as (
                read,
                write,
            ),
        ):
            yield StreamWire(read, write, _encode, dump_message)

    @asynccontextmanager
    async def open_memory(self, server: Any) -> AsyncGenerator[Wire]:
        """A server object of this process."""
        async with open_memory_streams(server, importlib.import_module(MEMORY_MODULE)) as (read, write):
            yield StreamWire(read, write, _encode, dump_message)


def _align_event_limit(transport: Any, seen: TransportLog) -> dict[str, int]:
    """The SDK's own limit for an event of a stream, 1 MB, as ours; the oldest versions of mcp 2 have none."""
    known = inspect.signature(transport.streamable_http_client).parameters
    return {"max_sse_event_size": seen.meter.limits.response_size + 1} if "max_sse_event_size" in known else {}


def _encode(message: dict[str, Json], headers: dict[str, str]) -> Any:
    types: Any = importlib.import_module(MCP_2.types_module)
    shared: Any = importlib.import_module(MESSAGE_MODULE)
    metadata = shared.ClientMessageMetadata(headers=headers)
    return shared.SessionMessage(types.jsonrpc_message_adapter.validate_python(message), metadata)
