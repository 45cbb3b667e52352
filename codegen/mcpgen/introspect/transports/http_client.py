"""HTTP client for Streamable HTTP that limits what a server may send."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import CHUNK_SIZE, JsonScanner, Meter, RepeatedNameFinder, TransportLog
from mcpgen.introspect.server_query import Credentials

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
        decompressor = Decompressor(encoding) if encoding not in ("", "identity") else None
        chunks = self._count_body(response.stream, decompressor, checks, finder)
        response.stream = self._stream_class(response.stream, chunks)

    async def _count_body(
        self,
        stream: AsyncIterable[bytes],
        decompressor: Decompressor | None,
        checks: Sequence[Callable[[bytes], None]],
        finder: RepeatedNameFinder,
    ) -> AsyncGenerator[bytes]:
        async for data in stream:
            self._meter.count("transfer_size", len(data))
            for chunk in [data] if decompressor is None else _decompress(data, decompressor, self._meter):
                self._count_chunk(chunk, checks)
                yield chunk
        if decompressor is not None:
            chunk = decompressor.flush()
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
        """Start a body with the `Content-Encoding` `gzip`, `x-gzip` or `deflate`."""
        self._inflate: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding != "deflate" else None

    def decompress(self, data: bytes) -> Iterator[bytes]:
        """Yield the chunks that compressed bytes expand to; raise `zlib.error` if they are not compressed."""
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
