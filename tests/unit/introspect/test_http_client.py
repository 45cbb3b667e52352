"""Transports over HTTP."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import AsyncGenerator
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import CHUNK_SIZE, MOST_STDERR_BYTES, Meter, TransportLog
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage
from mcpgen.introspect.transports import MOST_REDIRECTS, Decompressor, StreamWire, dump_message, open_http_client


# --- streams of messages, and the record of a transport ---------------------------------------------------------------
def test_only_whole_lines_of_standard_error_are_kept() -> None:
    log = TransportLog(Meter(Limits.model_validate({})))
    log.record_stderr(b"first\n" + b"x" * MOST_STDERR_BYTES + b"\nlast\n")
    assert log.stderr == b"last\n"


def _decode(item: Any) -> dict[str, Any]:
    message, headers = item
    return {"message": message, "headers": headers}


async def exchange() -> list[Any]:
    send, receive = anyio.create_memory_object_stream[Any](9)
    wire = StreamWire(receive, send, lambda *item: SimpleNamespace(message=item), _decode)
    results: list[Any] = []
    await wire.send({"a": 1}, {"h": "x"})
    results.append(await wire.receive())
    error = ValueError("x")
    error.errors = lambda: [{"input": "not a message"}]  # type: ignore[attr-defined]
    for item in (error, ValueError("y")):
        await send.send(item)
        results.append(await wire.receive())
    await send.aclose()
    for call in (wire.receive(), wire.send({}, {})):
        with pytest.raises(ConnectionEnded):
            await call
    return results


def test_messages_are_encoded_and_decoded() -> None:
    message, invalid, unreadable = anyio.run(exchange)
    assert message == {"message": {"a": 1}, "headers": {"h": "x"}}
    assert invalid == InvalidMessage("not a message")
    assert unreadable == InvalidMessage("")


def test_results_are_not_copied() -> None:
    result: Any = {"tools": [{}]}
    dumped = dump_message(SimpleNamespace(id=3, result=result))
    assert dumped == {"jsonrpc": "2.0", "id": 3, "result": {"tools": [{}]}}
    assert dumped["result"] is result


# --- decompression in chunks ------------------------------------------------------------------------------------------
TEXT = b"some text " * 50_000
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", RAW.compress(TEXT) + RAW.flush()),
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
def test_bodies_in_pieces(encoding: str, data: bytes, size: int) -> None:
    decompressor = Decompressor(encoding)
    chunks: list[bytes] = []
    for start in range(0, len(data), size):
        chunks += decompressor.decompress(data[start : start + size])
    assert b"".join((*chunks, decompressor.flush())) == TEXT
    assert max(map(len, chunks)) <= CHUNK_SIZE


def test_data_that_is_not_compressed() -> None:
    with pytest.raises(zlib.error):
        list(Decompressor("gzip").decompress(b"plain text"))


# --- the HTTP client, against a server of the library's own transport -------------------------------------------------
httpx: Any = pytest.importorskip("httpx2", reason="mcp 2 is not installed")
BODY = b'{"a": [1, 2, 3]}'


class Body(httpx.AsyncByteStream):  # type: ignore[misc]
    """Body that the library doesn't decode in advance."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        yield self._data


def post(
    monkeypatch: pytest.MonkeyPatch,
    body: bytes,
    status: int = 200,
    headers: Any = None,
    requests: int = 1,
    **limits: int,
) -> tuple[Any, TransportLog, Any]:
    """Send POST requests; return the last response, the record, and the last request."""
    received: list[Any] = []

    def handle(request: Any) -> Any:
        received.append(request)
        return httpx.Response(
            status, stream=Body(body), headers={"content-type": "application/json", **(headers or {})}
        )

    library = ModuleType("http_library")
    library.__dict__.update(
        AsyncByteStream=httpx.AsyncByteStream,
        Timeout=httpx.Timeout,
        AsyncClient=lambda **options: httpx.AsyncClient(**options, transport=httpx.MockTransport(handle)),
    )
    monkeypatch.setitem(sys.modules, "http_library", library)
    settings = {name.replace("_", "-"): value for name, value in limits.items()}
    log = TransportLog(Meter(Limits.model_validate(settings)))

    async def send() -> Any:
        async with open_http_client("http_library", Credentials({"x-key": "1"}), log) as client:
            response = None
            for _ in range(requests):
                response = await client.post("https://example.com/mcp")
            return response

    return anyio.run(send), log, received[-1]


def test_responses_are_recorded_and_headers_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    response, log, request = post(monkeypatch, BODY)
    assert response.content == BODY
    assert (log.status, log.content_type, log.location) == (200, "application/json", "")
    assert request.headers["x-key"] == "1"
    _, log, _ = post(monkeypatch, b"", 307, {"location": "/other"})
    assert (log.status, log.location, log.redirects) == (307, "/other", 1)


def test_bodies_are_decompressed_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    large, headers = b'"' + b"x" * 100_000 + b'"', {"content-encoding": "gzip"}
    response, _, _ = post(monkeypatch, gzip.compress(large), headers=headers)
    assert response.content == large
    with pytest.raises(IntrospectionError, match="more than 50,000 bytes, decompressed"):
        post(monkeypatch, gzip.compress(large), headers=headers, response_size=50_000)
    with pytest.raises(IntrospectionError, match="sends more than 10 bytes"):
        post(monkeypatch, BODY, transfer_size=10)
    with pytest.raises(IntrospectionError, match="more than 3 values"):
        post(monkeypatch, BODY, response_values=3)


@pytest.mark.parametrize(
    ("encoding", "message"), [("br", "in a way that was not asked for"), ("gzip", "not compressed as it says")]
)
def test_unreadable_encodings(monkeypatch: pytest.MonkeyPatch, encoding: str, message: str) -> None:
    with pytest.raises(IntrospectionError, match=message):
        post(monkeypatch, b"plain", headers={"content-encoding": encoding})


def test_redirects_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IntrospectionError, match=f"more than {MOST_REDIRECTS} times"):
        post(monkeypatch, b"", 307, {"location": "/other"}, requests=MOST_REDIRECTS + 1)
