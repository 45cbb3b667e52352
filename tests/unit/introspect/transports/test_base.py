"""Streams of messages, and the record of a transport."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage
from mcpgen.introspect.transports.base import MOST_STDERR_BYTES, StreamWire, TransportLog, dump_message


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
