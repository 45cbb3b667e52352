"""How much a server may send while it is asked: counted as it arrives, and refused as soon as a limit is passed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from mcpgen.config.models import Limits
from mcpgen.introspect.errors import IntrospectionError

CHUNK_SIZE = 64 * 1024
"""Bytes that are looked at, or decompressed, at a time."""
MOST_REQUESTS, MOST_MESSAGES = 1_000, 10_000
"""How many requests a server may send, each of which is answered, and how many messages beside its answers."""
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{[]}"))
_OPENING_BRACKETS = frozenset(b"{[")


class Meter:
    """Counts what one server sends, and ends the conversation with it when that is too much.

    An exception alone would not do so: the SDK's transports catch what is raised in their tasks. So what is wrong is
    kept in `error`, and the scope in which the server is asked is cancelled.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.error: IntrospectionError | None = None
        self._scope: Any = None
        self._transferred = self._answered = self._values = self._definitions = 0
        self._requests = self._messages = 0

    def watch(self, scope: Any) -> None:
        """Cancel this scope of anyio's when something is too much."""
        self._scope = scope

    def fail(self, error: IntrospectionError) -> IntrospectionError:
        """End the conversation; the error, to be raised. The first one counts."""
        self.error = self.error or error
        if self._scope is not None:
            self._scope.cancel()
        return self.error

    def count_transferred(self, size: int) -> None:
        """Count bytes as they were transferred, compressed or not.

        Raises:
            CannotAsk: there are too many.
        """
        self._transferred += size
        if self._transferred > self.limits.transfer_size:
            raise self._beyond(f"sends more than {self.limits.transfer_size:,} bytes", "transfer-size")

    def count_answered(self, size: int) -> None:
        """Count bytes of messages, decompressed.

        Raises:
            CannotAsk: there are too many.
        """
        self._answered += size
        if self._answered > self.limits.response_size:
            what = f"answers with more than {self.limits.response_size:,} bytes, decompressed"
            raise self._beyond(what, "response-size")

    def count_page(self, method: str, number: int) -> None:
        """Note a page of a list, counted from 1.

        Raises:
            CannotAsk: there are too many.
        """
        if number > self.limits.pages:
            raise self._beyond(f"has more than {self.limits.pages:,} pages of {method}", "pages")

    def count_definitions(self, count: int) -> None:
        """Count definitions, of all lists.

        Raises:
            CannotAsk: there are too many.
        """
        self._definitions += count
        if self._definitions > self.limits.definitions:
            raise self._beyond(f"advertises more than {self.limits.definitions:,} definitions", "definitions")

    def restart_definitions(self) -> None:
        """Count definitions anew, since the lists are read again."""
        self._definitions = 0

    def count_message(self) -> None:
        """Count a message that is not the answer that is waited for.

        Raises:
            CannotAsk: there are too many.
        """
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            message = f"the server sends more than {MOST_MESSAGES:,} messages that nobody asked for"
            raise self.fail(IntrospectionError("MG712", message))

    def count_request(self) -> None:
        """Count a request of the server's.

        Raises:
            CannotAsk: there are too many.
        """
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            message = f"the server asks more than {MOST_REQUESTS:,} questions while it is asked"
            raise self.fail(IntrospectionError("MG712", message))

    def count_structure(self, values: int, depth: int) -> None:
        """Count members and elements of messages, and hold how deep they are nested against the limit.

        Raises:
            CannotAsk: it is too much.
        """
        self._values += values
        if self._values > self.limits.response_values:
            what = f"answers with more than {self.limits.response_values:,} values"
            raise self._beyond(what, "response-values")
        if depth > self.limits.depth:
            raise self._beyond(f"nests values more than {self.limits.depth:,} levels deep", "depth")

    def _beyond(self, what: str, setting: str) -> IntrospectionError:
        help = f"raise `{setting}` of `limits` in the settings if this is meant"
        return self.fail(IntrospectionError("MG712", f"the server {what}", help))


class JsonScanner:
    """Counts the members and elements in JSON text as it comes, and its depth, before anything is made of it.

    No string of JSON holds a line break as it is, so each line starts outside of strings. That holds for the events
    of a stream as well, whose lines are no JSON as a whole: what they count besides is little.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._depth = 0
        self._inside = False
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Count what is in the next bytes.

        Raises:
            CannotAsk: it is too much.
        """
        for start in range(0, len(data), CHUNK_SIZE):
            values = deepest = 0
            for number, line in enumerate(data[start : start + CHUNK_SIZE].replace(b"\r", b"\n").split(b"\n")):
                if number:
                    self._inside, self._held = False, b""
                if line:
                    outside = self._outside(line)
                    values += sum(map(outside.count, (b"{", b"[", b",", b":")))
                    deepest = max(deepest, self._nested(outside))
            self._meter.count_structure(values, deepest)

    def _outside(self, line: bytes) -> bytes:
        """What stands outside of strings in a line, or in a part of one."""
        line = self._held + line
        backslashes = len(line) - len(line.rstrip(b"\\"))
        self._held = b"\\" * (backslashes % 2)
        if self._held:
            line = line[:-1]
        parts = line.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        outside = b"".join(parts[self._inside :: 2])
        self._inside ^= len(parts) % 2 == 0
        return outside

    def _nested(self, outside: bytes) -> int:
        """How deep the deepest value is that starts in a text outside of strings."""
        deepest = self._depth
        for bracket in outside.translate(None, _NOT_BRACKETS):
            self._depth = self._depth + 1 if bracket in _OPENING_BRACKETS else max(0, self._depth - 1)
            deepest = max(deepest, self._depth)
        return deepest


class Decompressor:
    """The bytes of a compressed body, a chunk at a time: however small it is, it may become very large."""

    def __init__(self, encoding: str) -> None:
        self._wbits = zlib.MAX_WBITS | 16 if encoding != "deflate" else 0
        self._inflate: Any = zlib.decompressobj(self._wbits) if self._wbits else None

    def decompress(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes are, decompressed.

        Raises:
            zlib.error: they are not compressed so.
        """
        if self._inflate is None and data:  # some servers send raw deflate, and some with zlib's header
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 15 == 8 else -zlib.MAX_WBITS)
        while data and self._inflate is not None:
            piece = self._inflate.decompress(data, CHUNK_SIZE)
            data = self._inflate.unconsumed_tail
            if piece:
                yield piece
            elif self._inflate.eof:
                return

    def flush(self) -> bytes:
        """What was still to come at the end of the data."""
        return self._inflate.flush() if self._inflate is not None else b""
