"""The transports of mcp 1.x, which dedalus-mcp is built on, too."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
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
from mcpgen.targets import HTTP_MODULE, MCP_1, MEMORY_MODULE, MESSAGE_MODULE


class Mcp1:
    """mcp 1.x speaks the versions with a handshake, up to 2025-11-25."""

    name = MCP_1.title
    knows_discovery = False

    @asynccontextmanager
    async def open_http(self, url: Url, access: Credentials, seen: TransportLog) -> AsyncGenerator[Wire]:
        """A Streamable HTTP endpoint."""
        transport: Any = importlib.import_module(HTTP_MODULE)
        if not hasattr(transport, "streamable_http_client"):
            raise IntrospectionError(
                "MG702", "the installed mcp is too old for HTTP", f"pip install '{MCP_1.http_requirement}'"
            )
        async with (
            open_http_client(MCP_1.http_client, access, seen) as client,
            transport.streamable_http_client(url.text, http_client=client) as (read, write, _),
        ):
            yield StreamWire(read, write, _encode, _decode)

    @asynccontextmanager
    async def open_memory(self, server: Any) -> AsyncGenerator[Wire]:
        """A server object of this process."""
        async with open_memory_streams(server, importlib.import_module(MEMORY_MODULE)) as (read, write):
            yield StreamWire(read, write, _encode, _decode)


def _encode(message: dict[str, Json], headers: dict[str, str]) -> Any:
    """The headers are the transport's own business here."""
    types: Any = importlib.import_module(MCP_1.types_module)
    shared: Any = importlib.import_module(MESSAGE_MODULE)
    return shared.SessionMessage(types.JSONRPCMessage.model_validate(message))


def _decode(message: Any) -> dict[str, Json]:
    return dump_message(message.root)
