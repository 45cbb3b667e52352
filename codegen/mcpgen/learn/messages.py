"""Calls of tools in saved traffic: JSON-RPC messages, wherever they are in a JSON value."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.parse import find_too_deep
from mcpgen.schema.values import Json, canonicalize

Message = dict[str, Json]
_LINE_END = re.compile(r"\r\n|\r|\n")
_MENTION = re.compile(r'"jsonrpc\\*"')
"""What a text with messages has, with backslashes if they are in a text of it."""


class Reason(NamedTuple):
    """Why a part of a recording is left out."""

    noun: str
    """What the part is, in the singular."""
    why: str
    help: str


UNCERTAIN = Reason(
    "call", "other requests with the same id were open", "save the traffic of each session in a file of its own"
)
UNASKED = Reason("answer", "no request with its id was open", "record each request, too, before its answer")
NAMELESS = Reason("call", "the id or the name of a tool is missing", "a call is a request with `id` and `params.name`")
UNREADABLE = Reason(
    "text", 'no message can be read, though "jsonrpc" is in it', "record whole messages as they were sent"
)


@dataclass
class OpenCall:
    """A request `tools/call`, until its answer comes."""

    tool: str
    arguments: Json
    result: Json = None
    """The result of the answer; None for a call without one, or with an error."""


class Place(NamedTuple):
    """Where a message is, as far as that says what it belongs to."""

    exchange: Json = None
    """The object that holds it, if that has both a request and a response, as an entry of an HTTP archive has."""
    side: str = ""
    """The member of the exchange that holds it: `request` or `response`, as its sender has it; else empty."""


@dataclass
class _Scope:
    """Open requests of an exchange, or of a file."""

    left_out: Counter[Reason]
    answered: list[OpenCall]
    open: dict[tuple[str, str], dict[str, OpenCall | None]] = field(
        default_factory=dict[tuple[str, str], "dict[str, OpenCall | None]"]
    )
    """By the id and the side, then by the method and parameters; None for a request that calls no tool."""
    _lost: Counter[str] = field(default_factory=Counter[str])
    """Numbers of answers to come, by the id, that belong to requests which were left out."""
    _answers: dict[str, Message] = field(default_factory=dict[str, Message])
    """The last answer with each id since its last request."""

    def open_request(self, id: str, side: str, content: str, call: OpenCall | None) -> None:
        """Take a request; the same one twice is one that a proxy took and passed on."""
        self.open.setdefault((id, side), {}).setdefault(content, call)
        self._answers.pop(id, None)

    def close_request(self, id: str, side: str, message: Message) -> bool:
        """Take an answer; return whether a request was open that it can belong to."""
        if self._answers.get(id) == message:
            return True  # a proxy took it and passed it on
        keys = [(id, asking) for asking in ("", "request", "response") if asking != side or side == ""]
        requests = [(key, content) for key in keys for content in self.open.get(key, ())]
        if not requests and not self._lost[id]:
            return False
        self._answers[id] = message
        calls = [self.open[key].pop(content) for key, content in requests]
        if len(requests) > 1 or self._lost[id]:
            self._lost[id] += len(requests) - 1
            self.left_out[UNCERTAIN] += sum(call is not None for call in calls)
        elif calls[0] is not None:
            calls[0].result = message.get("result")
            self.answered.append(calls[0])
        return True


class CallMatcher:
    """Pairs requests with their answers, by the id: within an exchange, and what remains of it within the file."""

    def __init__(self) -> None:
        self.left_out = Counter[Reason]()
        """Numbers of messages that no call is made of."""
        self._answered: list[OpenCall] = []
        self._file = _Scope(self.left_out, self._answered)
        self._exchange: Json = None
        self._here = self._file
        """The requests of that exchange."""
        self._unasked: list[tuple[str, str, Message]] = []
        """The answers in it to other requests."""

    def add_message(self, message: Message, place: Place) -> None:
        """Take the next message. Ids are unique to a session, and a server counts its own requests."""
        if place.exchange is not self._exchange:
            self._leave_exchange()
            if place.exchange is not None:
                self._exchange, self._here = place.exchange, _Scope(self.left_out, self._answered)
        id = canonicalize(message.get("id"))
        if "method" not in message:
            if not self._here.close_request(id, place.side, message):
                if self._here is self._file:
                    self._leave_out(message)
                else:
                    self._unasked.append((id, place.side, message))
            return
        params = message.get("params")
        call = None
        if message["method"] == "tools/call":
            if id != "null" and isinstance(params, dict) and isinstance(params.get("name"), str):
                call = OpenCall(str(params["name"]), params.get("arguments"))
            else:
                self.left_out[NAMELESS] += 1
        if id != "null":  # else it is a notification
            self._here.open_request(id, place.side, canonicalize([message["method"], params]), call)

    def take_answered(self) -> list[OpenCall]:
        """End a value of the file; return the calls that were answered in it."""
        self._leave_exchange()
        calls = [*self._answered]
        self._answered.clear()
        return calls

    def list_open(self) -> list[OpenCall]:
        """Return the calls that nothing has answered."""
        return [call for requests in self._file.open.values() for call in requests.values() if call is not None]

    def _leave_exchange(self) -> None:
        """Compare what is not paired with the rest of the file."""
        if self._here is not self._file:
            for (id, side), requests in self._here.open.items():
                for content, call in requests.items():
                    self._file.open_request(id, side, content, call)
        self._exchange, self._here = None, self._file
        for id, side, message in self._unasked:
            if not self._file.close_request(id, side, message):
                self._leave_out(message)
        self._unasked.clear()

    def _leave_out(self, message: Message) -> None:
        """Count an answer whose request is unknown, unless it is an error, of which nothing could be learned."""
        self.left_out[UNASKED] += "result" in message


def iterate_messages(value: Json, depth: int, left_out: Counter[Reason]) -> Iterator[tuple[Message, Place]]:
    """Yield the JSON-RPC messages in a value, in their order, each with its place.

    They are objects with a member `jsonrpc`, or texts of such: JSON, or an event stream. In an HTTP archive (HAR 1.2)
    they are the texts of requests and answers, and can be encoded in Base64. The member `request` of an object comes
    first.

    Args:
        value: a value of a file.
        depth: levels of nesting that a text may have; deeper ones are skipped.
        left_out: receives the number of texts that cannot be read.
    """
    stack = [(value, Place())]
    while stack:
        part, place = stack.pop()
        if isinstance(part, dict) and _is_message(part):
            yield part, place
        elif isinstance(part, dict):
            members = [("text", _decode_text(part, left_out))]
            members += [(key, member) for key, member in part.items() if key not in ("text", "request")]
            members.insert(0, ("request", part.get("request")))
            is_exchange = "request" in part and "response" in part
            for key, member in reversed(members):
                side = key if key in ("request", "response") else ""
                stack.append((member, Place(part, side) if is_exchange else place))
        elif isinstance(part, list):
            stack += [(item, place) for item in reversed(part)]
        elif isinstance(part, str) and _MENTION.search(part):
            stack += [(item, place) for item in reversed(_parse_text(part, depth, left_out))]


def _is_message(part: dict[str, Json]) -> bool:
    """Return whether an object is a message, not one that holds messages."""
    is_marked = "jsonrpc" in part and not isinstance(part["jsonrpc"], dict | list)
    return is_marked and not part.keys().isdisjoint(("method", "result", "error"))


def _decode_text(part: dict[str, Json], left_out: Counter[Reason]) -> Json:
    """Return the member `text` of an object, decoded as its member `encoding` says."""
    text = part.get("text")
    if isinstance(text, str) and part.get("encoding") == "base64":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except UnicodeDecodeError:
            return None  # such as an image
        except ValueError:
            left_out[UNREADABLE] += 1
            return None
    return text


def _parse_text(text: str, depth: int, left_out: Counter[Reason]) -> list[Json]:
    """Return the JSON values of a text: of all of it, or of the events of a stream."""
    is_json = text.lstrip()[:1] in ("{", "[")
    values: list[Json] = []
    for part in [text] if is_json else [*_iterate_events(text)] or [text]:
        if _MENTION.search(part) is None:
            continue
        try:
            value = parse_json(part)
        except (InvalidJson, LoneSurrogate):
            value = None
        if value is None or find_too_deep(value, depth) is not None:
            left_out[UNREADABLE] += 1
        else:
            values.append(value)
    return values


def _iterate_events(text: str) -> Iterator[str]:
    """Yield the data of each event of a stream (HTML, section 9.2.6); the last one may lack its end."""
    data: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:"))
        elif not line and data:
            yield "\n".join(data)
            data = []
