"""Transports to servers: HTTP and memory over the installed SDK, and processes, all with limits of what may be sent."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from mcpgen.files.programs import resolve_program
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.in_process import open_memory_streams
from mcpgen.introspect.limits import (
    CHUNK_SIZE,
    JsonScanner,
    Meter,
    RepeatedName,
    RepeatedNameFinder,
    TransportLog,
    build_object,
    refuse_message,
)
from mcpgen.introspect.server_address import Command, Url
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
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

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; raise `ConnectionEnded` if the other side is gone."""
        try:
            await self.write.send(self.encode(message, headers))
        except list_closed_errors():
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """Return the next message; raise `ConnectionEnded` if there is none."""
        try:
            item = await self.read.receive()
        except list_closed_errors():
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


# --- HTTP -------------------------------------------------------------------------------------------------------------
MOST_REDIRECTS = 20
_CONNECT_SECONDS = 30
_ENCODINGS = frozenset(("", "identity", "gzip", "x-gzip", "deflate"))
_JSON, _EVENT_STREAM = "application/json", "text/event-stream"


@asynccontextmanager
async def open_http_client(
    module: str, credentials: Credentials, log: TransportLog, authentication: Any = None
) -> AsyncGenerator[Any]:
    """Open a client of a library like `httpx` that sends the headers, records responses, and counts their bodies."""
    httpx: Any = importlib.import_module(module)
    inspector = _ResponseInspector(httpx, log)
    headers = {"accept-encoding": "gzip, deflate", **credentials.headers}
    timeout = httpx.Timeout(_CONNECT_SECONDS, read=None)
    hooks = {"response": [inspector.inspect_response]}
    async with httpx.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks, auth=authentication) as client:
        yield client


class _ResponseInspector:
    """Hook that records responses and decompresses their bodies, since httpx does so without a limit."""

    def __init__(self, httpx: Any, log: TransportLog) -> None:
        self._log, self._meter = log, log.meter
        self._stream_class = _make_stream_class(httpx)

    async def inspect_response(self, response: Any) -> None:
        log = self._log
        content_type = response.headers.get("content-type", "")
        if response.request.method == "POST":
            log.status, log.content_type = response.status_code, content_type
            log.location = str(response.headers.get("location", "")) if response.has_redirect_location else ""
        log.redirects += response.has_redirect_location
        if log.redirects > MOST_REDIRECTS:
            message = f"the server redirects more than {MOST_REDIRECTS} times"
            raise self._meter.fail(IntrospectionError("MG708", message))
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in _ENCODINGS:
            message = "the server compresses its answer in a way that was not asked for"
            raise self._meter.fail(IntrospectionError("MG708", message, "mcpgen reads gzip and deflate"))
        for header in ("content-encoding", "content-length"):
            response.headers.pop(header, None)
        essence = content_type.partition(";")[0].strip().lower()
        finder = RepeatedNameFinder(self._meter, essence == _EVENT_STREAM)
        checks = [JsonScanner(self._meter).feed, finder.feed] if essence in (_JSON, _EVENT_STREAM) else []
        chunks = self._count_body(response.stream, Decompressor(encoding), checks, finder)
        response.stream = self._stream_class(response.stream, chunks)

    async def _count_body(
        self,
        stream: AsyncIterable[bytes],
        decompressor: Decompressor,
        checks: Sequence[Callable[[bytes], None]],
        finder: RepeatedNameFinder,
    ) -> AsyncGenerator[bytes]:
        async for data in stream:
            self._meter.count("transfer_size", len(data))
            for chunk in _decompress(data, decompressor, self._meter):
                self._count_chunk(chunk, checks)
                yield chunk
        if chunk := decompressor.flush():
            self._count_chunk(chunk, checks)
            yield chunk
        finder.finish()

    def _count_chunk(self, chunk: bytes, checks: Sequence[Callable[[bytes], None]]) -> None:
        self._meter.count("response_size", len(chunk))
        for check in checks:
            check(chunk)


def _decompress(data: bytes, decompressor: Decompressor, meter: Meter) -> Iterator[bytes]:
    try:
        yield from decompressor.decompress(data)
    except zlib.error:
        raise meter.fail(IntrospectionError("MG708", "the server's answer is not compressed as it says")) from None


def _make_stream_class(httpx: Any) -> Any:
    class CountedStream(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, chunks: AsyncGenerator[bytes]) -> None:
            self._stream, self._chunks = stream, chunks

        def __aiter__(self) -> AsyncGenerator[bytes]:
            return self._chunks

        async def aclose(self) -> None:
            await self._stream.aclose()

    return CountedStream


class Decompressor:
    """Decompressor of one body that returns at most a chunk at a time: a small body may become very large."""

    def __init__(self, encoding: str) -> None:
        """Start a body with a `Content-Encoding`: `gzip`, `x-gzip`, `deflate` or, if it is plain, `identity`."""
        self._encoding = encoding
        self._inflate: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding in ("gzip", "x-gzip") else None

    def decompress(self, data: bytes) -> Iterator[bytes]:
        """Yield the chunks that compressed bytes expand to; raise `zlib.error` if they are not compressed."""
        if self._encoding in ("", "identity"):
            yield data
            return
        if self._inflate is None and data:  # some servers send raw deflate, and some with zlib's header
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 15 == 8 else -zlib.MAX_WBITS)
        while data and self._inflate is not None:
            chunk = self._inflate.decompress(data, CHUNK_SIZE)
            data = self._inflate.unconsumed_tail
            if chunk:
                yield chunk
            elif self._inflate.eof:
                return

    def flush(self) -> bytes:
        """Return the rest at the end of the body."""
        return self._inflate.flush() if self._inflate is not None else b""


# --- processes --------------------------------------------------------------------------------------------------------
LONGEST_SHOWN_LINE = 4096
"""Bytes that are kept of a line that is not a message."""
EXIT_SECONDS = 2.0
"""Seconds that a server has to end after its standard input was closed."""
TERMINATE_SECONDS = 1.0
KILL_SECONDS = 2.0
_POLL_SECONDS = 0.01


@asynccontextmanager
async def run_server_process(
    command: Command, environment: Mapping[str, str], log: TransportLog
) -> AsyncGenerator[Wire]:
    """Run a server process within the block, then end it and its group; raise `OSError` if it cannot be started."""
    anyio: Any = importlib.import_module("anyio")
    arguments = [resolve_program(command.words[0], environment), *command.words[1:]]
    process = await anyio.open_process(
        arguments, cwd=command.folder, env=dict(environment), stderr=subprocess.PIPE, start_new_session=True
    )
    may_exit = False
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_record_stderr, process, log)
            yield _LineWire(process, log.meter)
            may_exit = log.meter.error is None
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end_process(anyio, process, may_exit)


def list_closed_errors() -> tuple[type[Exception], ...]:
    """Return what anyio's streams raise when the other side is gone."""
    anyio: Any = importlib.import_module("anyio")
    return anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError


async def _record_stderr(process: Any, log: TransportLog) -> None:
    with contextlib.suppress(*list_closed_errors(), IntrospectionError):
        while True:
            data = await process.stderr.receive(CHUNK_SIZE)
            log.record_stderr(data)
            log.meter.count("transfer_size", len(data))


class _LineWire:
    def __init__(self, process: Any, meter: Meter) -> None:
        self._process, self._meter = process, meter
        self._closed_errors: tuple[type[Exception], ...] = (*list_closed_errors(), ConnectionError)
        self._buffer = bytearray()
        self._scanner = JsonScanner(meter)
        self._searched = 0
        """Bytes of the buffer that are known to have no line break."""

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        try:
            await self._process.stdin.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except self._closed_errors:
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        text = (await self._read_line()).strip()
        try:
            message: Json = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=build_object)
        except RepeatedName:
            raise refuse_message(self._meter) from None
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
            return message
        return InvalidMessage(bytes(text[:LONGEST_SHOWN_LINE]).decode("utf-8", "replace"))

    async def _read_line(self) -> bytes:
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            try:
                data = await self._process.stdout.receive(CHUNK_SIZE)
            except self._closed_errors:
                raise ConnectionEnded from None
            self._meter.count("transfer_size", len(data))
            self._meter.count("response_size", len(data))
            self._scanner.feed(data)
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)  # JSON has neither NaN nor infinities


# --- ending ----------------------------------------------------------------------------------------------------------
async def _end_process(anyio: Any, process: Any, may_exit: bool) -> None:
    """End the process: by closing its standard input, if it `may_exit` by itself, then by signals."""
    with contextlib.suppress(OSError, *list_closed_errors()):
        await process.stdin.aclose()
    async with anyio.create_task_group() as draining:
        for stream in (process.stdout, process.stderr):  # a process that is blocked in writing cannot end
            draining.start_soon(_drain, stream)
        if not (may_exit and await _has_ended(anyio, process, EXIT_SECONDS)):
            await _signal_process(anyio, process, hard=False)
            await _has_ended(anyio, process, TERMINATE_SECONDS)
        await _signal_process(anyio, process, hard=True)  # its children may still be running
        await _has_ended(anyio, process, KILL_SECONDS)
        draining.cancel_scope.cancel()
    with anyio.move_on_after(KILL_SECONDS):
        await process.aclose()


async def _drain(stream: Any) -> None:
    with contextlib.suppress(OSError, *list_closed_errors()):
        while True:
            await stream.receive(CHUNK_SIZE)


async def _has_ended(anyio: Any, process: Any, seconds: float) -> bool:
    """Report whether the process ends in time; `wait()` would also wait for others that keep its streams open."""
    deadline = anyio.current_time() + seconds
    while process.returncode is None and anyio.current_time() < deadline:
        await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None


async def _signal_process(anyio: Any, process: Any, *, hard: bool) -> None:
    """Send SIGTERM or SIGKILL to the process group; on Windows, kill the process and those that it has started.

    There, a server of npm's is a shell that has started node, and killing the shell alone would leave node behind. The
    children are only found while their parent runs.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif process.returncode is None:
            with contextlib.suppress(OSError), anyio.move_on_after(KILL_SECONDS):
                command = [resolve_program("taskkill"), "/T", "/F", "/PID", str(process.pid)]
                await anyio.run_process(command, check=False)
            process.kill()
