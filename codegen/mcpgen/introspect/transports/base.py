"""Interface of an SDK's transports, and what those of both generations have in common."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.introspect.transports.in_process import open_memory_streams
from mcpgen.schema.values import Json
from mcpgen.targets import MEMORY_MODULE, STDIO_MODULE

MOST_STDERR_BYTES = 64 * 1024
"""Bytes that are kept of the end of a server's standard error."""


@dataclass
class TransportLog:
    """Record of what happened on a transport: the server's standard error, and the last HTTP response."""

    meter: Meter
    status: int = 0
    """Status of the last HTTP response to a message; 0: there was none."""
    content_type: str = ""
    location: str = ""
    """Target of the last response if it was a redirect."""
    redirects: int = 0
    stderr: bytearray = field(default_factory=bytearray)
    """End of the server's standard error, in whole lines."""

    def record_stderr(self, data: bytes) -> None:
        """Append to the standard error, and drop its beginning when it becomes too long."""
        self.stderr += data
        if len(self.stderr) > MOST_STDERR_BYTES:
            del self.stderr[: -MOST_STDERR_BYTES // 2]
            # A line without its beginning may hold a part of a secret, which no redaction recognises.
            del self.stderr[: self.stderr.find(b"\n") + 1 or len(self.stderr)]


class SdkTransports(Protocol):
    """Transports of one generation of the SDK; each opens a `Wire`."""

    name: str
    knows_discovery: bool
    """Whether the SDK can send `server/discover`, which replaces the handshake."""

    def get_default_environment(self) -> dict[str, str]:
        """Return the environment variables that the SDK passes on to every server process."""
        ...

    def open_http(
        self, url: Url, credentials: Credentials, log: TransportLog, authentication: Any = None
    ) -> AbstractAsyncContextManager[Wire]:
        """Connect to a Streamable HTTP endpoint, perhaps with an authentication of the HTTP library."""
        ...

    def open_memory(self, server: Any) -> AbstractAsyncContextManager[Wire]:
        """Connect to a server object of this process."""
        ...


class StreamTransports(ABC):
    """Transports of an SDK whose modules both generations have under the same names."""

    def get_default_environment(self) -> dict[str, str]:
        """Return the environment variables that the SDK passes on to every server process."""
        stdio: Any = importlib.import_module(STDIO_MODULE)
        return dict(stdio.get_default_environment())

    @asynccontextmanager
    async def open_memory(self, server: Any) -> AsyncGenerator[Wire]:
        """Connect to a server object of this process."""
        async with open_memory_streams(server, importlib.import_module(MEMORY_MODULE)) as (read, write):
            yield self.make_wire(read, write)

    @abstractmethod
    def make_wire(self, read: Any, write: Any) -> Wire:
        """Return the wire over two streams of the SDK's messages."""


@dataclass
class StreamWire:
    """Wire over the two streams of an SDK's transport."""

    read: Any
    write: Any
    encode: Callable[[dict[str, Json], dict[str, str]], Any]
    """Builds the SDK's message from JSON and HTTP headers."""
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
    if isinstance(getattr(message, "result", None), dict):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)  # type: ignore[no-any-return]


def _extract_text(error: BaseException) -> str:
    """Return the text that could not be parsed as a message, if the error has it."""
    list_errors: Any = getattr(error, "errors", None)
    if not callable(list_errors):
        return ""
    errors: Any = list_errors()
    text: Any = errors[0].get("input") if errors else ""
    return text if isinstance(text, str) else ""
