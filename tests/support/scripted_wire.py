"""A server in this process for sessions: a wire whose answers are known beforehand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcpgen.introspect.limits import TransportLog
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.introspect.transports import SdkTransports

METHOD_NOT_FOUND = {"code": -32601, "message": "method not found"}


class ScriptedWire:
    """Wire that answers requests by method: with a result, an error, or several messages.

    Args:
        answers: the answers of each method, one after another; the last one is repeated. An answer is a result, a
            `{"error": …}`, a text for an invalid message, a list of messages to send before the answer, or None to end
            the connection. Methods without answers are unknown to the server.
    """

    def __init__(self, answers: dict[str, list[Any]]) -> None:
        self._answers = {method: list(queue) for method, queue in answers.items()}
        self._outbox: list[Any] = []
        self.sent: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    async def send(self, message: dict[str, Any], headers: dict[str, str]) -> None:
        self.sent.append(message)
        self.headers.append(headers)
        if "id" not in message or "method" not in message:
            return
        queue = self._answers.get(message["method"], [{"error": METHOD_NOT_FOUND}])
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, list):
            *before, answer = answer
            self._outbox += before
        if isinstance(answer, dict):
            body = answer if "error" in answer else {"result": answer}
            answer = {"jsonrpc": "2.0", "id": message["id"], **body}
        self._outbox.append(answer)

    async def receive(self) -> dict[str, Any] | InvalidMessage:
        message = self._outbox.pop(0) if self._outbox else None
        if message is None:
            raise ConnectionEnded
        return InvalidMessage(message) if isinstance(message, str) else message


class ScriptedTransports(SdkTransports):
    """Transports of an imagined SDK that opens scripted wires."""

    name = "an SDK"

    def __init__(self, make_wire: Callable[[], Wire], knows_discovery: bool = True) -> None:
        self._open_wire, self.knows_discovery = make_wire, knows_discovery
        self.log: TransportLog | None = None
        self.opened = 0

    def get_default_environment(self) -> dict[str, str]:
        return {}

    @asynccontextmanager
    async def open_http(
        self, url: Url, credentials: Credentials, log: TransportLog, authentication: Any = None
    ) -> AsyncGenerator[Wire]:
        self.log = log
        self.opened += 1
        yield self._open_wire()

    @asynccontextmanager
    async def open_memory(self, server: Any) -> AsyncGenerator[Wire]:
        self.opened += 1
        yield self._open_wire()
