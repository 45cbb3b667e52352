"""The transports of mcp 2.x, which fastmcp 4 is built on, too."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.json_types import Json
from mcpgen.live.secrets import Access
from mcpgen.live.session import Wire
from mcpgen.live.source import Command, Url
from mcpgen.live.streams import Seen, Streams, http_client, memory_streams, parameters


class Mcp2:
    """mcp 2.x speaks every version."""

    name = "mcp 2.x"
    knows_discovery = True

    @asynccontextmanager
    async def stdio(self, command: Command, access: Access, seen: Seen) -> AsyncGenerator[Wire]:
        """A process that serves on its standard streams."""
        stdio: Any = importlib.import_module("mcp.client.stdio")
        async with stdio.stdio_client(parameters(stdio, command, access), seen.stderr) as (read, write):
            yield Streams(read, write, _encode, _decode)

    @asynccontextmanager
    async def http(self, url: Url, access: Access, seen: Seen) -> AsyncGenerator[Wire]:
        """A Streamable HTTP endpoint."""
        transport: Any = importlib.import_module("mcp.client.streamable_http")
        async with (
            http_client("httpx2", access, seen) as client,
            transport.streamable_http_client(url.text, http_client=client) as (read, write),
        ):
            yield Streams(read, write, _encode, _decode)

    @asynccontextmanager
    async def memory(self, server: Any) -> AsyncGenerator[Wire]:
        """A server object of this process."""
        async with memory_streams(server, importlib.import_module("mcp.shared.memory")) as (read, write):
            yield Streams(read, write, _encode, _decode)


def _encode(message: dict[str, Json], headers: dict[str, str]) -> Any:
    types: Any = importlib.import_module("mcp_types")
    shared: Any = importlib.import_module("mcp.shared.message")
    metadata = shared.ClientMessageMetadata(headers=headers)
    return shared.SessionMessage(types.jsonrpc_message_adapter.validate_python(message), metadata)


def _decode(message: Any) -> dict[str, Json]:
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)  # type: ignore[no-any-return]
