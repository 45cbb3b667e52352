"""Limits of what a server sends, which is counted as it arrives: the query ends as soon as one is exceeded."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from mcpgen.config.models import Limits, suggest_raising
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.schema.values import Json

CHUNK_SIZE = 64 * 1024
"""Bytes that are read, scanned or decompressed at a time."""
MOST_STDERR_BYTES = 64 * 1024
"""Bytes that are kept of the end of a server's standard error."""
LimitName = Literal[
    "transfer_size", "response_size", "response_values", "depth", "pages", "definitions", "requests", "messages"
]
"""A limit of the settings, or one that cannot be raised: requests and messages that nobody asked for."""
_EXCESSES: dict[LimitName, str] = {
    "transfer_size": "sends more than {most:,} bytes",
    "response_size": "answers with more than {most:,} bytes, decompressed",
    "response_values": "answers with more than {most:,} values",
    "depth": "nests values more than {most:,} levels deep",
    "pages": "has more than {most:,} pages of {subject}",
    "definitions": "advertises more than {most:,} definitions",
    "requests": "sends more than {most:,} requests of its own",
    "messages": "sends more than {most:,} messages that nobody asked for",
}
FIXED_LIMITS: dict[LimitName, int] = {"requests": 1_000, "messages": 10_000}
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{[]}"))
_OPENING_BRACKETS = frozenset(b"{[")


class Meter:
    """Counters for one server, which end the query when a limit is exceeded.

    Raising an exception would not end it, because the SDK's transports catch exceptions in their tasks. So the error
    is also stored, and the cancel scope of the query is cancelled.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.error: IntrospectionError | None = None
        self._scope: Any = None
        self._counts = Counter[LimitName]()

    def watch(self, scope: Any) -> None:
        """Remember the cancel scope of anyio to cancel when a limit is exceeded."""
        self._scope = scope

    def fail(self, error: IntrospectionError) -> IntrospectionError:
        """End the query, and return the error to raise; later errors are ignored."""
        self.error = self.error or error
        if self._scope is not None:
            self._scope.cancel()
        return self.error

    def count(self, limit: LimitName, amount: int = 1) -> None:
        """Add to what is counted for a limit; raise `IntrospectionError` if that is too much."""
        self._counts[limit] += amount
        self.check(limit, self._counts[limit])

    def restart(self, limit: LimitName) -> None:
        """Forget what was counted for a limit."""
        del self._counts[limit]

    def restart_all(self) -> None:
        """Forget everything that was counted."""
        self._counts.clear()

    def check(self, limit: LimitName, value: int, subject: str = "") -> None:
        """Raise `IntrospectionError` if a value, of a `subject` that the message names, is beyond its limit."""
        most = FIXED_LIMITS.get(limit) or getattr(self.limits, limit)
        if value > most:
            help = "" if limit in FIXED_LIMITS else suggest_raising(limit.replace("_", "-"))
            message = f"the server {_EXCESSES[limit].format(most=most, subject=subject)}"
            raise self.fail(IntrospectionError("MG712", message, help))


@dataclass
class TransportLog:
    """Record of what happened on a transport: the server's standard error, and the last HTTP response."""

    meter: Meter
    status: int = 0
    """Status of the last HTTP response to a message; 0: there was none."""
    content_type: str = ""
    location: str = ""
    redirects: int = 0
    stderr: bytearray = field(default_factory=bytearray)
    """End of the server's standard error, in whole lines."""

    def record_stderr(self, data: bytes) -> None:
        """Append to the standard error, and drop its beginning when it becomes too long."""
        self.stderr += data
        if len(self.stderr) > MOST_STDERR_BYTES:
            del self.stderr[: -MOST_STDERR_BYTES // 2]
            # A line without its beginning may hold a part of a secret, which no redaction recognises.
            del self.stderr[: self.stderr.find(b"\n") + 1 or len(self.stderr)]


class JsonScanner:
    """Count of the values in JSON text that arrives in pieces, and of their depth, before it is parsed.

    JSON strings have no raw line breaks, so every line starts outside strings. This also holds for event streams,
    whose lines are not JSON as a whole: what they add to the count is negligible.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._depth = 0
        self._in_string = False
        self._pending = b""
        """A backslash at the end of the last piece, whose effect is still unknown."""

    def feed(self, data: bytes) -> None:
        """Count the values in the next bytes; raise `IntrospectionError` if they are too many, or too deep."""
        for start in range(0, len(data), CHUNK_SIZE):
            values = deepest = 0
            for number, line in enumerate(data[start : start + CHUNK_SIZE].replace(b"\r", b"\n").split(b"\n")):
                if number:
                    self._in_string, self._pending = False, b""
                if line:
                    structure = self._drop_strings(line)
                    values += sum(map(structure.count, (b"{", b"[", b",", b":")))
                    deepest = max(deepest, self._follow_brackets(structure))
            self._meter.count("response_values", values)
            self._meter.check("depth", deepest)

    def _drop_strings(self, line: bytes) -> bytes:
        line = self._pending + line
        backslashes = len(line) - len(line.rstrip(b"\\"))
        self._pending = b"\\" * (backslashes % 2)
        if self._pending:
            line = line[:-1]
        segments = line.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        outside = b"".join(segments[self._in_string :: 2])
        self._in_string ^= len(segments) % 2 == 0
        return outside

    def _follow_brackets(self, structure: bytes) -> int:
        deepest = self._depth
        for bracket in structure.translate(None, _NOT_BRACKETS):
            self._depth = self._depth + 1 if bracket in _OPENING_BRACKETS else max(0, self._depth - 1)
            deepest = max(deepest, self._depth)
        return deepest


class RepeatedName(ValueError):
    """An object has two members of one name: parsers disagree about which of the two counts."""


def build_object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the object with some members, as `object_pairs_hook` of `json.loads`; raise `RepeatedName`."""
    built = dict(members)
    if len(built) < len(members):
        raise RepeatedName
    return built


def refuse_message(meter: Meter) -> IntrospectionError:
    """End the query because of a name that stands twice, and return the error to raise."""
    message = "the server answers with an object in which a name stands twice"
    help = "clients read it in different ways: tell who runs the server"
    return meter.fail(IntrospectionError("MG710", message, help))


class RepeatedNameFinder:
    """Search for names that stand twice in the body of an HTTP response that arrives in pieces."""

    def __init__(self, meter: Meter, is_stream: bool) -> None:
        self._meter, self._is_stream = meter, is_stream
        self._text = bytearray()
        """What is not searched yet: of a stream, the last event and a line without its end."""
        self._event: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Search the next bytes, or remember those of one message; raise `IntrospectionError` for a repeated name."""
        self._text += data
        if not self._is_stream or b"\n" not in data.replace(b"\r", b"\n"):
            return
        end = b"\r" if self._text.endswith(b"\r") else b""  # perhaps the first half of a line break
        text = self._text.removesuffix(end)
        *lines, rest = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._text = bytearray(rest + end)
        for line in lines:
            if line.startswith(b"data:"):
                self._event.append(bytes(line[5:]))
            elif not line:
                self._search(b"\n".join(self._event))
                self._event.clear()

    def finish(self) -> None:
        """Search what is left at the end, like `feed`."""
        self._search(b"\n".join(self._event) if self._is_stream else bytes(self._text))

    def _search(self, text: bytes) -> None:
        try:
            json.loads(text, object_pairs_hook=build_object)
        except RepeatedName:
            raise refuse_message(self._meter) from None
        except (ValueError, RecursionError):
            return  # it is no message, which the SDK reports
