"""HTTP client for Streamable HTTP that limits what a server may send."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.json_scanner import JsonScanner
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.repeated_names import RepeatedNameFinder
from mcpgen.introspect.transports.base import TransportLog
from mcpgen.introspect.transports.decompression import Decompressor

MOST_REDIRECTS = 20
"""Redirects that are accepted from one server."""
_CONNECT_SECONDS = 30
_ENCODINGS = frozenset(("", "identity", "gzip", "x-gzip", "deflate"))
_JSON, _EVENT_STREAM = "application/json", "text/event-stream"
_Scanner: TypeAlias = JsonScanner | RepeatedNameFinder


@asynccontextmanager
async def open_http_client(
    module: str, credentials: Credentials, log: TransportLog, authentication: Any = None
) -> AsyncGenerator[Any]:
    """Open an HTTP client that sends the headers, records responses, and counts their bodies.

    Args:
        module: the HTTP library, `httpx` or one with the same interface.
        credentials: the headers to send.
        log: the record of responses, with the meter.
        authentication: the library's authentication, None: only the headers.
    """
    httpx: Any = importlib.import_module(module)
    inspector = _ResponseInspector(httpx, log)
    headers = {"accept-encoding": "gzip, deflate", **credentials.headers}
    timeout = httpx.Timeout(_CONNECT_SECONDS, read=None)
    hooks = {"response": [inspector.inspect_response]}
    async with httpx.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks, auth=authentication) as client:
        yield client


class _ResponseInspector:
    """Hook that records responses and replaces their bodies by counted ones.

    Bodies are decompressed here, since httpx decompresses without a limit: a body of 1 MB may become 1 GB.
    """

    def __init__(self, httpx: Any, log: TransportLog) -> None:
        self._log, self._meter = log, log.meter
        self._stream_class = _make_stream_class(httpx)

    async def inspect_response(self, response: Any) -> None:
        """Record a response before its body is read; raise `IntrospectionError` if it is not acceptable."""
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
        scanners: list[_Scanner] = [JsonScanner(self._meter), RepeatedNameFinder(self._meter, essence == _EVENT_STREAM)]
        decompressor = Decompressor(encoding) if encoding not in ("", "identity") else None
        is_json = essence in (_JSON, _EVENT_STREAM)
        chunks = self._count_body(response.stream, decompressor, scanners if is_json else [])
        response.stream = self._stream_class(response.stream, chunks)

    async def _count_body(
        self, stream: AsyncIterable[bytes], decompressor: Decompressor | None, scanners: Sequence[_Scanner]
    ) -> AsyncGenerator[bytes]:
        async for data in stream:
            self._meter.count_transferred(len(data))
            for chunk in _decompress(data, decompressor, self._meter):
                self._count_chunk(chunk, scanners)
                yield chunk
        if decompressor is not None:
            chunk = decompressor.flush()
            self._count_chunk(chunk, scanners)
            yield chunk
        for scanner in scanners:
            scanner.finish()

    def _count_chunk(self, chunk: bytes, scanners: Sequence[_Scanner]) -> None:
        self._meter.count_answered(len(chunk))
        for scanner in scanners:
            scanner.feed(chunk)


def _decompress(data: bytes, decompressor: Decompressor | None, meter: Meter) -> Iterator[bytes]:
    if decompressor is None:
        yield data
        return
    try:
        yield from decompressor.decompress(data)
    except zlib.error:
        raise meter.fail(IntrospectionError("MG708", "the server's answer is not compressed as it says")) from None


def _make_stream_class(httpx: Any) -> Any:
    """Return a class of body streams; it inherits from a class of the library, as httpx requires."""

    class CountedStream(httpx.AsyncByteStream):  # type: ignore[misc]
        """Body that is counted as it arrives."""

        def __init__(self, stream: Any, chunks: AsyncGenerator[bytes]) -> None:
            self._stream, self._chunks = stream, chunks

        def __aiter__(self) -> AsyncGenerator[bytes]:
            return self._chunks

        async def aclose(self) -> None:
            await self._stream.aclose()

    return CountedStream
