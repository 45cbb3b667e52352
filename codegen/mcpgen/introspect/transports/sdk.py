"""Transports of the installed SDK: everything that depends on its generation."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import TransportLog
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.introspect.transports.http_client import open_http_client
from mcpgen.introspect.transports.in_process import open_memory_streams
from mcpgen.schema.values import Json
from mcpgen.targets import (
    HTTP_MODULE,
    MCP_1,
    MCP_2,
    MEMORY_MODULE,
    MESSAGE_MODULE,
    SDK_DISTRIBUTION,
    STATELESS_PROTOCOLS,
    STDIO_MODULE,
    SdkGeneration,
)

INSTALL_COMMAND = f"pip install '{MCP_2.http_requirement}'"


def select_transports() -> SdkTransports:
    """Return the transports of the installed SDK; raise `IntrospectionError` if there is none."""
    try:
        version = importlib.metadata.version(SDK_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        message = "no MCP SDK is installed, and asking a server takes one"
        raise IntrospectionError("MG702", message, INSTALL_COMMAND) from None
    return SdkTransports(MCP_1 if version.startswith("1.") else MCP_2)


class SdkTransports:
    """Transports of one generation of the SDK, on which others build; each opens a `Wire`."""

    def __init__(self, generation: SdkGeneration) -> None:
        self.generation = generation
        self.name = generation.title
        self.knows_discovery = generation.newest_protocol in STATELESS_PROTOCOLS
        """Whether the SDK can send `server/discover`, which replaces the handshake."""

    def get_default_environment(self) -> dict[str, str]:
        """Return the environment variables that the SDK passes on to every server process."""
        stdio: Any = importlib.import_module(STDIO_MODULE)
        return dict(stdio.get_default_environment())

    @asynccontextmanager
    async def open_http(
        self, url: Url, credentials: Credentials, log: TransportLog, authentication: Any = None
    ) -> AsyncGenerator[Wire]:
        """Connect to a Streamable HTTP endpoint, perhaps with an authentication of the HTTP library."""
        connect: Any = getattr(importlib.import_module(HTTP_MODULE), "streamable_http_client", None)
        if connect is None:
            help = f"pip install '{self.generation.http_requirement}'"
            raise IntrospectionError("MG702", "the installed mcp is too old for HTTP", help)
        async with open_http_client(self.generation.http_client, credentials, log, authentication) as client:
            options = {"http_client": client, **_make_event_limit(connect, log.meter.limits.response_size)}
            async with connect(url.text, **options) as (read, write, *_):
                yield self._make_wire(read, write)

    @asynccontextmanager
    async def open_memory(self, server: Any) -> AsyncGenerator[Wire]:
        """Connect to a server object of this process."""
        async with open_memory_streams(server, importlib.import_module(MEMORY_MODULE)) as (read, write):
            yield self._make_wire(read, write)

    def _make_wire(self, read: Any, write: Any) -> StreamWire:
        return StreamWire(read, write, self._encode, dump_message)

    def _encode(self, message: dict[str, Json], headers: dict[str, str]) -> Any:
        """Build the SDK's message; mcp 1 adds the headers of the protocol itself."""
        types: Any = importlib.import_module(self.generation.types_module)
        shared: Any = importlib.import_module(MESSAGE_MODULE)
        if self.generation is MCP_1:
            return shared.SessionMessage(types.JSONRPCMessage.model_validate(message))
        metadata = shared.ClientMessageMetadata(headers=headers)
        return shared.SessionMessage(types.jsonrpc_message_adapter.validate_python(message), metadata)


def _make_event_limit(connect: Any, response_size: int) -> dict[str, int]:
    """Return the option that raises the SDK's limit for an event, 1 MB, to ours; many versions have none."""
    has_limit = "max_sse_event_size" in inspect.signature(connect).parameters
    return {"max_sse_event_size": response_size + 1} if has_limit else {}


@dataclass
class StreamWire:
    """Wire over the two streams of an SDK's transport."""

    read: Any
    write: Any
    encode: Callable[[dict[str, Json], dict[str, str]], Any]
    decode: Callable[[Any], dict[str, Json]]
    _closed_errors: tuple[type[BaseException], ...] = field(init=False)

    def __post_init__(self) -> None:
        anyio: Any = importlib.import_module("anyio")
        self._closed_errors = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; raise `ConnectionEnded` if the other side is gone."""
        try:
            await self.write.send(self.encode(message, headers))
        except self._closed_errors:
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """Return the next message; raise `ConnectionEnded` if there is none."""
        try:
            item = await self.read.receive()
        except self._closed_errors:
            raise ConnectionEnded from None
        return InvalidMessage(_extract_text(item)) if isinstance(item, BaseException) else self.decode(item.message)


def dump_message(message: Any) -> dict[str, Json]:
    """Return an SDK's message as JSON; a result, which may be large, is not copied."""
    message = getattr(message, "root", message)
    if isinstance(getattr(message, "result", None), dict):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)  # type: ignore[no-any-return]


def _extract_text(error: BaseException) -> str:
    list_errors: Any = getattr(error, "errors", None)
    errors: Any = list_errors() if callable(list_errors) else []
    text: Any = errors[0].get("input") if errors else ""
    return text if isinstance(text, str) else ""
