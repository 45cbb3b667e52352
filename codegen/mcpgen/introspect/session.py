"""MCP over a transport's two streams, as plain JSON: what a server sends is read as it is, by no SDK's model."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpgen import __version__
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.schema.values import Json
from mcpgen.targets import HANDSHAKE_PROTOCOLS, PROTOCOLS, STATELESS_SINCE

PROBE_SECONDS = 10.0
"""How long a server may think about a question that older servers do not know."""
INVALID_MESSAGE_SECONDS = 10.0
"""How long an answer may still come once there was something in its place that is no message."""
MOST_INVALID_MESSAGES = 10
_META_PREFIX = "io.modelcontextprotocol/"
_METHOD_NOT_FOUND_CODE = -32601


class ConnectionEnded(Exception):
    """The server closed the connection."""


class GarbledAnswer(Exception):
    """What came in place of an answer is no message."""


class RequestRefused(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Json) -> None:
        held = error if isinstance(error, dict) else {}
        self.code, self.data = held.get("code"), held.get("data")
        self.said = str(held.get("message") or "")
        super().__init__(self.said)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ({"code": self.code, "message": self.said, "data": self.data},), self.__dict__


@dataclass(frozen=True)
class InvalidMessage:
    """What came in place of a message."""

    text: str


class Wire(Protocol):
    """A transport that is open: messages go out with headers (for HTTP), and come in as they are."""

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; `ConnectionEnded` when the other side is gone."""

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """The next message; `ConnectionEnded` when there is none to come."""
        ...


@dataclass
class McpSession:
    """A conversation with one server."""

    wire: Wire
    meter: Meter
    protocol: str = ""
    capabilities: dict[str, Json] = field(default_factory=dict[str, Json])
    asking: str = "to be connected"
    """What is being waited for, for the message of a timeout."""
    nonsense: list[str] = field(default_factory=list[str])
    changed: bool = False
    """Whether the server said, since this was last looked at, that a list has changed."""
    _last: int = 0

    # --- opening ------------------------------------------------------------------------------------------------
    async def discover(self) -> bool:
        """Open as 2026-07-28 does; False: the server does not know how, or speaks older versions only.

        Raises:
            Ended: the server closed the connection.
        """
        import anyio

        result: dict[str, Json] = {}
        with anyio.move_on_after(PROBE_SECONDS):
            self.protocol = STATELESS_SINCE
            with contextlib.suppress(IntrospectionError, GarbledAnswer, RequestRefused):
                result = await self.send_request("server/discover", {})
        versions = result.get("supportedVersions")
        if not isinstance(versions, list) or STATELESS_SINCE not in versions:
            self.protocol = ""
            return False
        self._offers(result)
        return True

    async def initialize(self, wanted: str) -> None:
        """Open as older versions do.

        Raises:
            Ended, Garbled, Refused: as they say.
            CannotAsk: the server's answer is none.
        """
        me: Json = {"name": "mcpgen", "version": __version__}
        params: dict[str, Json] = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": me}
        result = await self.send_request("initialize", params)
        version = result.get("protocolVersion")
        if version not in HANDSHAKE_PROTOCOLS:
            help = f"mcpgen knows {', '.join(PROTOCOLS)}"
            said = f'"{version}"' if isinstance(version, str) and len(version) < 40 else "no version"
            raise IntrospectionError("MG709", f"the server names {said} as its protocol version", help)
        self.protocol = str(version)
        self._offers(result)
        await self.wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, self._headers("", {}))

    def _offers(self, result: dict[str, Json]) -> None:
        held = result.get("capabilities")
        self.capabilities = held if isinstance(held, dict) else {}

    # --- asking -------------------------------------------------------------------------------------------------
    async def fetch_list(self, capability: str, method: str, member: str) -> list[Json]:
        """All of a list, page by page; empty where the server has no such list.

        Raises:
            Ended, Garbled, Refused: as they say.
            CannotAsk: the answer is no list, or has no end.
        """
        out: list[Json] = []
        cursors: set[str] = set()
        params: dict[str, Json] = {}
        while True:
            self.meter.count_page(method, len(cursors) + 1)
            try:
                result = await self.send_request(method, params)
            except RequestRefused as error:
                if (
                    error.code == _METHOD_NOT_FOUND_CODE
                    and not out
                    and (capability not in self.capabilities or member != "tools")
                ):
                    return []
                raise
            page, cursor = result.get(member), result.get("nextCursor")
            if not isinstance(page, list):
                raise IntrospectionError("MG708", f"the answer to {method} holds no list of {member}")
            self.meter.count_definitions(len(page))
            out += page
            if cursor is None:
                return out
            if not isinstance(cursor, str) or cursor in cursors:
                raise IntrospectionError("MG712", f"the pages of {method} have no end: a cursor comes again", "")
            cursors.add(cursor)
            params = {"cursor": cursor}

    async def send_request(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """The result of a request.

        Raises:
            Ended, Garbled, Refused: as they say.
            CannotAsk: what came is no answer.
        """
        import anyio

        self._last += 1
        self.asking = f"to answer {method}"
        message: dict[str, Json] = {"jsonrpc": "2.0", "id": self._last, "method": method}
        if self.protocol == STATELESS_SINCE:
            params = {**params, "_meta": self._envelope()}
        if params:
            message["params"] = params
        await self.wire.send(message, self._headers(method, params))
        with anyio.CancelScope() as patience:
            while (answer := await self._next(patience)) is None or not self._is_mine(answer):
                self.meter.count_message()
            if "error" in answer:
                raise RequestRefused(answer["error"])
            result = answer.get("result")
            if not isinstance(result, dict):
                raise IntrospectionError("MG708", f"the answer to {method} is no object")
            return result
        raise GarbledAnswer

    def _is_mine(self, answer: dict[str, Json]) -> bool:
        """Whether an answer is that to the last request; an error without an id is, too."""
        id = answer.get("id")
        return str(id) == str(self._last) or (id is None and "error" in answer)

    async def _next(self, patience: Any) -> dict[str, Json] | None:
        """The next answer, None for anything else that comes; patience ends soon after nonsense."""
        import anyio

        message = await self.wire.receive()
        if isinstance(message, InvalidMessage):
            if len(self.nonsense) < MOST_INVALID_MESSAGES:
                self.nonsense.append(message.text)
            patience.deadline = min(patience.deadline, anyio.current_time() + INVALID_MESSAGE_SECONDS)
            return None
        method = message.get("method")
        if not isinstance(method, str):
            return message
        self.changed |= method.endswith("/list_changed")
        if "id" in message:
            self.meter.count_request()
            await self._answer(method, message["id"])
        return None

    async def _answer(self, method: str, id: Json) -> None:
        """Answer a request of the server's: a ping as it should be, all else with a refusal."""
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": id}
        if method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": _METHOD_NOT_FOUND_CODE, "message": "mcpgen only lists"}
        await self.wire.send(reply, self._headers("", {}))

    def _envelope(self) -> dict[str, Json]:
        me: Json = {"name": "mcpgen", "version": __version__}
        return {
            f"{_META_PREFIX}protocolVersion": STATELESS_SINCE,
            f"{_META_PREFIX}clientInfo": me,
            f"{_META_PREFIX}clientCapabilities": {},
        }

    def _headers(self, method: str, params: dict[str, Json]) -> dict[str, str]:
        if not self.protocol:
            return {}
        headers = {"mcp-protocol-version": self.protocol}
        if self.protocol == STATELESS_SINCE and method:
            headers["mcp-method"] = method
        return headers
