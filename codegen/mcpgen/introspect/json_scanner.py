"""Count of the values in JSON text, and of their depth, before the text is parsed."""

from __future__ import annotations

from mcpgen.introspect.limits import CHUNK_SIZE, Meter

_NOT_BRACKETS = bytes(set(range(256)) - set(b"{[]}"))
_OPENING_BRACKETS = frozenset(b"{[")


class JsonScanner:
    """Scanner of JSON text that arrives in pieces.

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
        """Count the values in the next bytes.

        Raises:
            IntrospectionError: they are too many, or too deeply nested.
        """
        for start in range(0, len(data), CHUNK_SIZE):
            values = deepest = 0
            for number, line in enumerate(data[start : start + CHUNK_SIZE].replace(b"\r", b"\n").split(b"\n")):
                if number:
                    self._in_string, self._pending = False, b""
                if line:
                    structure = self._drop_strings(line)
                    values += sum(map(structure.count, (b"{", b"[", b",", b":")))
                    deepest = max(deepest, self._follow_brackets(structure))
            self._meter.count_structure(values, deepest)

    def finish(self) -> None:
        """End the text; nothing is left to count."""

    def _drop_strings(self, line: bytes) -> bytes:
        """Return the text outside strings in a line, or in a part of one."""
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
        """Update the current depth, and return the greatest one in the text."""
        deepest = self._depth
        for bracket in structure.translate(None, _NOT_BRACKETS):
            self._depth = self._depth + 1 if bracket in _OPENING_BRACKETS else max(0, self._depth - 1)
            deepest = max(deepest, self._depth)
        return deepest
