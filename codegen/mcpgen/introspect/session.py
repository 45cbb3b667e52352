"""MCP session over a transport, in plain JSON: messages are not parsed by an SDK's models."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpgen import __version__
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.schema.values import Json
from mcpgen.targets import HANDSHAKE_PROTOCOLS, PROTOCOLS, STATELESS_PROTOCOLS

PROBE_SECONDS = 10.0
"""Seconds that a server has for `server/discover`, which older servers do not know."""
INVALID_MESSAGE_SECONDS = 10.0
"""Seconds that an answer may still take after something that is not a message."""
MOST_INVALID_MESSAGES = 10
"""Invalid messages that are kept."""
_META_PREFIX = "io.modelcontextprotocol/"
METHOD_NOT_FOUND_CODE = -32601
UNSUPPORTED_VERSION_CODE = -32022
_CLIENT_INFO: Json = {"name": "mcpgen", "version": __version__}


class ConnectionEnded(Exception):
    """The server closed the connection."""


class GarbledAnswer(Exception):
    """Something that is not a message came, and no answer after it."""


class RequestRefused(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Json) -> None:
        members = error if isinstance(error, dict) else {}
        self.code, self.data = members.get("code"), members.get("data")
        self.message = str(members.get("message") or "")
        super().__init__(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ({"code": self.code, "message": self.message, "data": self.data},), self.__dict__


@dataclass(frozen=True)
class InvalidMessage:
    """Text that came instead of a message."""

    text: str


class Wire(Protocol):
    """Open transport that sends and receives messages as JSON."""

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message, over HTTP with headers; raise `ConnectionEnded` if the other side is gone."""

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """Return the next message; raise `ConnectionEnded` if there is none."""
        ...


@dataclass
class McpSession:
    """Session with one server, from the negotiation of a version to the lists."""

    wire: Wire
    meter: Meter
    protocol: str = ""
    """The negotiated version; empty before."""
    capabilities: dict[str, Json] = field(default_factory=dict[str, Json])
    instructions: str = ""
    """What the server says of how to use it; empty if it says nothing."""
    pending_method: str = ""
    """The method of the last request, for messages about its failure; empty before the first."""
    invalid_lines: list[str] = field(default_factory=list[str])
    """The first lines from the server that are not messages."""
    changed: bool = False
    """Whether the server has announced a change of a list since this was last reset."""
    probe_seconds: float = PROBE_SECONDS
    """Seconds that a server has to answer `server/discover`."""
    _last_id: int = 0

    # --- negotiation --------------------------------------------------------------------------------------------
    async def discover(self, versions: Sequence[str] = STATELESS_PROTOCOLS) -> bool:
        """Negotiate without a handshake; return False if the server cannot.

        Args:
            versions: the versions without a handshake to choose from, oldest first.

        Raises:
            ConnectionEnded: the server closed the connection.
        """
        import anyio

        with (
            anyio.move_on_after(self.probe_seconds),
            contextlib.suppress(IntrospectionError, GarbledAnswer, RequestRefused),
        ):
            supported, result = await self._propose(versions[-1])
            self.protocol = max((version for version in versions if version in supported), default="")
            if self.protocol and result is None:
                result = await self.send_request("server/discover", {})
            if self.protocol and result is not None:
                self._store_capabilities(result)
                return True
        self.protocol = ""
        return False

    async def _propose(self, version: str) -> tuple[list[Json], dict[str, Json] | None]:
        """Return the versions that the server supports, and what it is, unless it refuses the proposed version."""
        self.protocol = version
        result: dict[str, Json] | None = None
        try:
            result = await self.send_request("server/discover", {})
            supported = result.get("supportedVersions")
        except RequestRefused as error:
            if error.code != UNSUPPORTED_VERSION_CODE or not isinstance(error.data, dict):
                raise
            supported = error.data.get("supported")
        return (supported if isinstance(supported, list) else []), result

    async def initialize(self, protocol: str) -> None:
        """Negotiate with the handshake of older versions.

        Args:
            protocol: the version to propose.

        Raises:
            ConnectionEnded, GarbledAnswer, RequestRefused: there is no result.
            IntrospectionError: the result names no known version.
        """
        params: dict[str, Json] = {"protocolVersion": protocol, "capabilities": {}, "clientInfo": _CLIENT_INFO}
        result = await self.send_request("initialize", params)
        version = result.get("protocolVersion")
        if version not in HANDSHAKE_PROTOCOLS:
            help = f"mcpgen knows {', '.join(PROTOCOLS)}"
            quoted = f'"{version}"' if isinstance(version, str) and len(version) < 40 else "no version"
            raise IntrospectionError("MG709", f"the server names {quoted} as its protocol version", help)
        self.protocol = str(version)
        self._store_capabilities(result)
        await self.wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, self._make_headers(""))

    def _store_capabilities(self, result: dict[str, Json]) -> None:
        capabilities = result.get("capabilities")
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        instructions = result.get("instructions")
        self.instructions = instructions if isinstance(instructions, str) else ""

    # --- requests -----------------------------------------------------------------------------------------------
    async def send_request(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Send a request and return its result.

        Raises:
            ConnectionEnded, GarbledAnswer, RequestRefused: there is no result.
            IntrospectionError: the result is not an object.
        """
        import anyio

        self._last_id += 1
        self.pending_method = method
        message: dict[str, Json] = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        if self._is_stateless:
            params = {**params, "_meta": self._make_request_meta()}
        if params:
            message["params"] = params
        await self.wire.send(message, self._make_headers(method, params.get("name")))
        with anyio.CancelScope() as scope:
            while (answer := await self._receive_answer(scope)) is None or not self._is_expected(answer):
                self.meter.count_message()
            if "error" in answer:
                raise RequestRefused(answer["error"])
            result = answer.get("result")
            if not isinstance(result, dict):
                raise IntrospectionError("MG708", f"the answer to {method} is not an object")
            return result
        raise GarbledAnswer

    @property
    def _is_stateless(self) -> bool:
        return bool(self.protocol) and self.protocol not in HANDSHAKE_PROTOCOLS

    def _make_request_meta(self) -> Json:
        """Return the metadata of a request without a handshake."""
        return {
            f"{_META_PREFIX}protocolVersion": self.protocol,
            f"{_META_PREFIX}clientInfo": _CLIENT_INFO,
            f"{_META_PREFIX}clientCapabilities": {},
        }

    def _is_expected(self, answer: dict[str, Json]) -> bool:
        """Check whether an answer belongs to the last request; an error without an id does, too."""
        id = answer.get("id")
        return str(id) == str(self._last_id) or (id is None and "error" in answer)

    async def _receive_answer(self, scope: Any) -> dict[str, Json] | None:
        """Return the next message if it is an answer, else None; an invalid message brings the deadline forward."""
        import anyio

        message = await self.wire.receive()
        if isinstance(message, InvalidMessage):
            if len(self.invalid_lines) < MOST_INVALID_MESSAGES:
                self.invalid_lines.append(message.text)
            scope.deadline = min(scope.deadline, anyio.current_time() + INVALID_MESSAGE_SECONDS)
            return None
        method = message.get("method")
        if not isinstance(method, str):
            return message
        self.changed |= method.endswith("/list_changed")
        if "id" in message:
            self.meter.count_request()
            await self._reply(method, message["id"])
        return None

    async def _reply(self, method: str, id: Json) -> None:
        """Reply to a request from the server: to a ping with a result, to others with an error."""
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": id}
        if method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND_CODE, "message": "mcpgen only lists"}
        await self.wire.send(reply, self._make_headers(""))

    def _make_headers(self, method: str, name: Json = None) -> dict[str, str]:
        """Return the HTTP headers of a message.

        Args:
            method: the method of a request; empty for other messages.
            name: the tool that is called; None for other methods.
        """
        if not self.protocol:
            return {}
        headers = {"mcp-protocol-version": self.protocol}
        if self._is_stateless and method:
            headers["mcp-method"] = method
            if isinstance(name, str):
                headers["mcp-name"] = _encode_header(name)
        return headers


def _encode_header(text: str) -> str:
    """Return a text as a header can hold it: in Base64 if it is not plain (MCP 2026-07-28, Streamable HTTP)."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
