"""Calls of tools in saved traffic: JSON-RPC messages, wherever they are in a JSON value."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep
from mcpgen.schema.values import Json

Message = dict[str, Json]
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass
class OpenCall:
    """A request `tools/call`, until its answer comes."""

    tool: str
    arguments: Json
    result: Json = None
    """The result of the answer; None for a call without one, or with an error."""


@dataclass
class CallMatcher:
    """Pairs requests with their answers, by the id."""

    ambiguous_count: int = 0
    """Requests whose answers cannot be told, since another one with the same id was open."""
    _open: dict[str, OpenCall | None] = field(default_factory=dict[str, "OpenCall | None"])
    """The open call of each id; None if there are several, or another request has it."""
    _others: set[str] = field(default_factory=set[str])
    """Ids of open requests of other methods; servers ask, too, and count from the same number."""

    def add_message(self, message: Message) -> OpenCall | None:
        """Take the next message; return the call that it answers."""
        id = json.dumps(message.get("id"))
        if "method" in message:
            if id == "null":
                return None  # a notification
            if message["method"] == "tools/call":
                self._open_call(id, message.get("params"))
            else:
                self._others.add(id)
                self._mark_ambiguous(id)
        elif "result" in message or "error" in message:
            self._others.discard(id)
            call = self._open.pop(id, None)
            if call is not None:
                call.result = message.get("result")
            return call
        return None

    def list_open(self) -> list[OpenCall]:
        """Return the calls that nothing has answered."""
        return [call for call in self._open.values() if call is not None]

    def _open_call(self, id: str, params: Json) -> None:
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            return
        call = OpenCall(str(params["name"]), params.get("arguments"))
        known = self._open.setdefault(id, call)
        if known is None:
            self.ambiguous_count += 1
        elif known != call:  # the same request twice is one that a proxy took and passed on
            self._mark_ambiguous(id)
            self.ambiguous_count += 1
        elif id in self._others:
            self._mark_ambiguous(id)

    def _mark_ambiguous(self, id: str) -> None:
        if self._open.get(id) is not None:
            self._open[id] = None
            self.ambiguous_count += 1


def iterate_messages(value: Json, depth: int) -> Iterator[Message]:
    """Yield the JSON-RPC messages in a value, in their order.

    They are objects with a member `jsonrpc`, or texts of such: JSON, or an event stream. In an HTTP archive (HAR 1.2)
    they are the texts of requests and answers, and can be encoded in Base64. The member `request` of an object comes
    first.

    Args:
        value: a value of a file.
        depth: levels of nesting that a text may have; deeper ones are skipped.
    """
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict) and "jsonrpc" in part:
            yield part
        elif isinstance(part, dict):
            members = [member for key, member in part.items() if key not in ("text", "request")]
            stack += reversed([part.get("request"), _decode_text(part), *members])
        elif isinstance(part, list):
            stack += reversed(part)
        elif isinstance(part, str) and '"jsonrpc"' in part:
            stack += reversed(_parse_text(part, depth))


def _decode_text(part: dict[str, Json]) -> Json:
    """Return the member `text` of an object, decoded as its member `encoding` says."""
    text = part.get("text")
    if isinstance(text, str) and part.get("encoding") == "base64":
        try:
            return base64.b64decode(text, validate=True).decode()
        except ValueError:
            return None
    return text


def _parse_text(text: str, depth: int) -> list[Json]:
    """Return the JSON values of a text: of all of it, or of the events of a stream."""
    if text.lstrip()[:1] in ("{", "["):
        return _parse_json(text, depth)
    return [value for event in _iterate_events(text) for value in _parse_json(event, depth)]


def _iterate_events(text: str) -> Iterator[str]:
    """Yield the data of each event of a stream (HTML, section 9.2.6); the last one may lack its end."""
    data: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:"))
        elif not line and data:
            yield "\n".join(data)
            data = []


def _parse_json(text: str, depth: int) -> list[Json]:
    """Return a list with the value of a JSON text, or an empty one."""
    try:
        value = parse_json(text)
    except (InvalidJson, LoneSurrogate):
        return []
    return [value] if find_too_deep(value, depth) is None else []
