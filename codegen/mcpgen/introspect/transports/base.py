"""What the transports of both SDK generations have in common: two streams of messages, one HTTP client."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Decompressor, JsonScanner, Meter
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.schema.values import Json

MOST_STDERR_BYTES = 64 * 1024
"""Bytes that are kept of the end of what a server writes on its standard error."""
MOST_REDIRECTS = 20
"""How often one server may say that it is elsewhere."""


@dataclass
class TransportLog:
    """What a transport noticed on the way: the server's standard error, and how HTTP answered the last request."""

    meter: Meter
    status: int = 0
    content_type: str = ""
    location: str = ""
    """Where the last answer said that the server is, if it was a redirect."""
    redirects: int = 0
    stderr: bytearray = field(default_factory=bytearray)
    """The end of what the server wrote there, in whole lines."""

    def record_stderr(self, data: bytes) -> None:
        """Keep what a server wrote on its standard error, without the beginning if it becomes too much."""
        self.stderr += data
        if (
            len(self.stderr) > MOST_STDERR_BYTES
        ):  # a line without its beginning may hold a part of a secret, which nobody recognises
            del self.stderr[: -MOST_STDERR_BYTES // 2]
            del self.stderr[: self.stderr.find(b"\n") + 1 or len(self.stderr)]


class SdkTransports(Protocol):
    """The transports of one generation of the SDK; each gives an open `Wire`."""

    name: str
    knows_discovery: bool

    def open_http(self, url: Url, access: Credentials, seen: TransportLog) -> AbstractAsyncContextManager[Wire]:
        """A Streamable HTTP endpoint."""
        ...

    def open_memory(self, server: Any) -> AbstractAsyncContextManager[Wire]:
        """A server object of this process."""
        ...


@dataclass
class StreamWire:
    """The two streams of a transport as a `Wire`."""

    read: Any
    write: Any
    encode: Callable[[dict[str, Json], dict[str, str]], Any]
    decode: Callable[[Any], dict[str, Json]]
    _closed: tuple[type[BaseException], ...] = field(init=False)

    def __post_init__(self) -> None:
        anyio: Any = importlib.import_module("anyio")
        self._closed = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; `ConnectionEnded` when the other side is gone."""
        try:
            await self.write.send(self.encode(message, headers))
        except self._closed:
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """The next message; `ConnectionEnded` when there is none to come."""
        try:
            item = await self.read.receive()
        except self._closed:
            raise ConnectionEnded from None
        return InvalidMessage(_extract_text(item)) if isinstance(item, BaseException) else self.decode(item.message)


def dump_message(message: Any) -> dict[str, Json]:
    """A message of the SDK's as JSON. What a result holds is not copied: it may be large, and is plain JSON already."""
    if isinstance(getattr(message, "result", None), dict):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)  # type: ignore[no-any-return]


def _extract_text(error: BaseException) -> str:
    """The text that could not be read as a message, as far as the error holds it."""
    errors: Any = getattr(error, "errors", None)
    if not callable(errors):
        return ""
    found: Any = errors()
    given: Any = found[0].get("input") if found else ""
    return given if isinstance(given, str) else ""


@asynccontextmanager
async def open_http_client(module: str, access: Credentials, seen: TransportLog) -> AsyncGenerator[Any]:
    """An HTTP client that sends the headers, notes how requests are answered, and counts what comes.

    It decompresses by itself, since httpx does so without a limit: a body of 1 MB may be 1 GB.
    """
    httpx: Any = importlib.import_module(module)

    class Bounded(httpx.AsyncByteStream):  # type: ignore[misc]
        """A body that is counted, and decompressed, as it arrives."""

        def __init__(self, stream: Any, encoding: str, scan: JsonScanner | None) -> None:
            self._stream, self._encoding, self._scan = stream, encoding, scan

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            inflated = Decompressor(self._encoding) if self._encoding else None
            async for data in self._stream:
                seen.meter.count_transferred(len(data))
                for piece in _decompress_body(data, inflated, seen.meter):
                    yield self._counted(piece)
            if inflated is not None:
                yield self._counted(inflated.flush())

        def _counted(self, data: bytes) -> bytes:
            seen.meter.count_answered(len(data))
            if self._scan is not None:
                self._scan.feed(data)
            return data

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def note(response: Any) -> None:
        kind = response.headers.get("content-type", "")
        if response.request.method == "POST":
            seen.status, seen.content_type = response.status_code, kind
            seen.location = str(response.headers.get("location", "")) if response.has_redirect_location else ""
        seen.redirects += response.has_redirect_location
        if seen.redirects > MOST_REDIRECTS:
            raise seen.meter.fail(IntrospectionError("MG708", f"the server redirects more than {MOST_REDIRECTS} times"))
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            message = "the server compresses its answer in a way that was not asked for"
            raise seen.meter.fail(IntrospectionError("MG708", message, "mcpgen reads gzip and deflate"))
        for header in ("content-encoding", "content-length"):
            response.headers.pop(header, None)
        is_text = kind.partition(";")[0].strip().lower() in ("application/json", "text/event-stream")
        scan = JsonScanner(seen.meter) if is_text else None
        response.stream = Bounded(response.stream, "" if encoding == "identity" else encoding, scan)

    headers = {"accept-encoding": "gzip, deflate", **access.headers}
    timeout = httpx.Timeout(30, read=None)
    async with httpx.AsyncClient(headers=headers, timeout=timeout, event_hooks={"response": [note]}) as client:
        yield client


def _decompress_body(data: bytes, inflated: Decompressor | None, meter: Meter) -> Iterator[bytes]:
    """The next bytes of a body, decompressed."""
    if inflated is None:
        yield data
        return
    try:
        yield from inflated.decompress(data)
    except zlib.error:
        raise meter.fail(IntrospectionError("MG708", "the server's answer is not compressed as it says")) from None


@asynccontextmanager
async def open_memory_streams(server: Any, memory: Any) -> AsyncGenerator[tuple[Any, Any]]:
    """The client's ends of streams to a server object, which runs as long as they are open.

    fastmcp wants its lifespan around the server's task.
    """
    anyio: Any = importlib.import_module("anyio")
    low = find_low_level_server(server)
    lifespan = getattr(server, "_lifespan_manager", None)
    async with memory.create_client_server_memory_streams() as ((read, write), (server_read, server_write)):

        async def serve() -> None:
            try:
                await low.run(server_read, server_write, low.create_initialization_options())
            finally:
                await server_write.aclose()

        async with _enter_lifespan(lifespan), anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            try:
                yield read, write
            finally:
                tasks.cancel_scope.cancel()


@asynccontextmanager
async def _enter_lifespan(lifespan: Any) -> AsyncGenerator[None]:
    if not callable(lifespan):
        yield
        return
    manager: Any = lifespan()
    async with manager:
        yield


def find_low_level_server(server: Any) -> Any:
    """The low-level server inside of a server object of any SDK.

    Raises:
        CannotAsk: the object is no server.
    """
    for name in ("_lowlevel_server", "_mcp_server"):
        server = getattr(server, name, server)
    if not (hasattr(server, "create_initialization_options") and callable(getattr(server, "run", None))):
        help = "name an MCPServer, FastMCP or low-level Server, or a function without arguments that makes one"
        raise IntrospectionError(
            "MG703", f"what is there is no MCP server, but of the type {type(server).__name__}", help
        )
    return server
