"""MCP session over a transport, in plain JSON, and the lists of everything that a server advertises."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpgen_runtime.package import RESULTS_FOLDER

from mcpgen import __version__
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.schema.values import Json, as_array, as_object
from mcpgen.targets import HANDSHAKE_PROTOCOLS, PROTOCOLS, STATELESS_PROTOCOLS

PROBE_SECONDS = 10.0
"""Seconds that a server has for `server/discover`, which older servers do not know."""
INVALID_MESSAGE_SECONDS = 10.0
"""Seconds that an answer may still take after something that is not a message."""
MOST_INVALID_MESSAGES = 10
_META_PREFIX = "io.modelcontextprotocol/"
METHOD_NOT_FOUND_CODE = -32601
UNSUPPORTED_VERSION_CODE = -32022
_CLIENT_INFO: Json = {"name": "mcpgen", "version": __version__}
_CLIENT_META: dict[str, Json] = {f"{_META_PREFIX}clientInfo": _CLIENT_INFO, f"{_META_PREFIX}clientCapabilities": {}}
SERVER_LISTS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
    ("prompts", "prompts/list", "prompts"),
)
"""Capability, method and member of the result, for each list."""
_OTHER_CAPABILITIES = {"completions": "completions", "logging": "log messages", "tasks": "tasks"}
"""Capabilities without a list, and how messages name them."""
MOST_NAMED_EXTENSIONS = 5
MOST_LIST_ATTEMPTS = 3
"""Times that the lists are fetched because the server announced a change meanwhile."""


class ConnectionEnded(Exception):
    """The server closed the connection."""


class GarbledAnswer(Exception):
    """Something that is not a message came, and no answer after it."""


class RequestRefused(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Json) -> None:
        members = as_object(error)
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
    capabilities: dict[str, Json] = field(default_factory=dict[str, Json])
    instructions: str = ""
    """What the server says of how to use it; empty if it says nothing."""
    pending_method: str = ""
    """The method of the last request, for messages about its failure; empty before the first."""
    invalid_lines: list[str] = field(default_factory=list[str])
    changed: bool = False
    """Whether the server has announced a change of a list since this was last reset."""
    probe_seconds: float = PROBE_SECONDS
    _last_id: int = 0

    # --- negotiation --------------------------------------------------------------------------------------------
    async def discover(self, versions: Sequence[str] = STATELESS_PROTOCOLS) -> bool:
        """Negotiate one of some versions, oldest first, without a handshake; return False if the server cannot."""
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
        return as_array(supported), result

    async def initialize(self, protocol: str) -> None:
        """Negotiate with the handshake of older versions, and propose one; errors are those of `send_request`."""
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
        self.capabilities = as_object(result.get("capabilities"))
        instructions = result.get("instructions")
        self.instructions = instructions if isinstance(instructions, str) else ""

    # --- requests -----------------------------------------------------------------------------------------------
    async def send_request(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """Send a request, return its result; raise `ConnectionEnded`, `GarbledAnswer`, `RequestRefused` without one."""
        import anyio

        self._last_id += 1
        self.pending_method = method
        message: dict[str, Json] = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        if self._is_stateless:
            params = {**params, "_meta": {f"{_META_PREFIX}protocolVersion": self.protocol, **_CLIENT_META}}
        if params:
            message["params"] = params
        await self.wire.send(message, self._make_headers(method, params.get("name")))
        with anyio.CancelScope() as scope:
            while (answer := await self._receive_answer(scope)) is None or not self._is_expected(answer):
                self.meter.count("messages")
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
            self.meter.count("requests")
            await self._reply(method, message["id"])
        return None

    async def _reply(self, method: str, id: Json) -> None:
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": id}
        if method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND_CODE, "message": "mcpgen only lists"}
        await self.wire.send(reply, self._make_headers(""))

    def _make_headers(self, method: str, name: Json = None) -> dict[str, str]:
        """Return the HTTP headers of a message: of a request with its method, perhaps with the name of the tool."""
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


@dataclass(frozen=True)
class ServerListing:
    """Everything that a server advertises, unchanged, under one protocol version."""

    protocol: str
    lists: dict[str, list[Json]]
    """Definitions by the member's name: `tools`, `resources`, `resourceTemplates`, `prompts`."""
    invalid_lines: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """Lists that the server could not give, with its error; a failed list of tools fails the query."""
    instructions: str = ""
    """What the server says of how to use it; empty if it says nothing."""
    left_out: tuple[str, ...] = ()
    """What else the server offers, which no definition can hold."""
    doubled: tuple[str, ...] = ()
    """A sentence for each bound handler that also has the SDK's decorator, if the server runs in this process."""


async def fetch_listing(session: McpSession, clean_text: Callable[[str], str]) -> ServerListing:
    """Fetch all lists, again if the server announces a change meanwhile; raise as `send_request` does."""
    lists: dict[str, list[Json]] = {}
    failed: list[str] = []
    for _ in range(MOST_LIST_ATTEMPTS):
        session.changed = False
        session.meter.restart("definitions")
        failed.clear()
        for capability, method, member in SERVER_LISTS:
            lists[member] = []
            try:
                if member == "tools" or capability in session.capabilities:
                    lists[member] = [*filter(_is_declared, await fetch_pages(session, capability, method, member))]
            except RequestRefused as error:
                if member == "tools":
                    raise
                failed.append(f"{method}: {clean_text(error.message)}")
        if not session.changed:
            break
    invalid_lines = tuple(clean_text(line) for line in session.invalid_lines)
    left_out = tuple(map(clean_text, _list_other_capabilities(session.capabilities)))
    return ServerListing(session.protocol, lists, invalid_lines, tuple(failed), session.instructions, left_out)


def _is_declared(item: Json) -> bool:
    """Return whether a listed definition is one; the template of a tool's linked results belongs to the tool."""
    return not str(as_object(item).get("uriTemplate")).startswith(RESULTS_FOLDER)


def _list_other_capabilities(capabilities: dict[str, Json]) -> Iterator[str]:
    for name, description in _OTHER_CAPABILITIES.items():
        if name in capabilities:
            yield description
    if as_object(capabilities.get("resources")).get("subscribe") is True:
        yield "subscriptions to resources"
    for group in ("extensions", "experimental"):
        if members := as_object(capabilities.get(group)):
            yield f"{group} ({', '.join([*members][:MOST_NAMED_EXTENSIONS])})"


async def fetch_pages(session: McpSession, capability: str, method: str, member: str) -> list[Json]:
    """Fetch all pages of a list, none where the server has no such list; raise as `send_request` does."""
    definitions: list[Json] = []
    cursors: set[str] = set()
    params: dict[str, Json] = {}
    while True:
        session.meter.check("pages", len(cursors) + 1, method)
        try:
            result = await session.send_request(method, params)
        except RequestRefused as error:
            is_optional = capability not in session.capabilities or member != "tools"
            if error.code == METHOD_NOT_FOUND_CODE and not definitions and is_optional:
                return []
            raise
        page, cursor = result.get(member), result.get("nextCursor")
        if not isinstance(page, list):
            raise IntrospectionError("MG708", f"the answer to {method} holds no list of {member}")
        session.meter.count("definitions", len(page))
        definitions += page
        if cursor is None:
            return definitions
        if not isinstance(cursor, str) or cursor in cursors:
            raise IntrospectionError("MG712", f"the pages of {method} have no end: a cursor comes again", "")
        cursors.add(cursor)
        params = {"cursor": cursor}
