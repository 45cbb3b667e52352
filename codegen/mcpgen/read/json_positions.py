"""Positions in JSON text: offsets of values and names, and offsets as lines and columns."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from json import decoder

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]', re.DOTALL)
_raw_decode = json.JSONDecoder().raw_decode
_scan_string: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]


class JsonPositions:
    """Offsets of the values and names in valid JSON text; finding all of them takes time linear in its length."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._members: dict[int, dict[str, tuple[int, int]]] = {}
        self._ends = _find_ends(text)

    def find(self, path: list[str], key: str | None) -> int:
        """Return the offset of the value at a path, or of its nearest ancestor; with `key`, of that member's name."""
        offset = skip_whitespace(self._text, 0)
        for token in path:
            offsets = self._index_members(offset).get(token)
            if offsets is None:
                return offset
            _, offset = offsets
        if key is not None and (offsets := self._index_members(offset).get(key)):
            return offsets[0]
        return offset

    def _index_members(self, start: int) -> dict[str, tuple[int, int]]:
        """Return the offsets of the name and of the value of each member or element of the value at an offset."""
        if start in self._members:
            return self._members[start]
        text, offset = self._text, start
        offsets: dict[str, tuple[int, int]] = {}
        opening = text[offset]
        if opening in "{[":
            offset = skip_whitespace(text, offset + 1)
            index = 0
            while text[offset] not in "}]":
                begin = offset
                name = str(index)
                if opening == "{":
                    name, offset = _scan_string(text, offset + 1, True)
                    offset = skip_whitespace(text, skip_whitespace(text, offset) + 1)
                offsets[name] = (begin, offset)
                end = self._ends.get(offset)
                offset = skip_whitespace(text, _raw_decode(text, offset)[1] if end is None else end)
                if text[offset] == ",":
                    offset = skip_whitespace(text, offset + 1)
                index += 1
        self._members[start] = offsets
        return offsets


def _find_ends(text: str) -> dict[int, int]:
    """Return the end of each object and array, by its start."""
    ends: dict[int, int] = {}
    starts: list[int] = []
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "{[":
            starts.append(match.start())
        elif match[0] in "}]":
            ends[starts.pop()] = match.end()
    return ends


class LineIndex:
    """Conversion of offsets in a text to lines and columns, both counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        offset = text.find("\n")
        while offset >= 0:
            self._starts.append(offset + 1)
            offset = text.find("\n", offset + 1)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def locate_offset(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of an offset, both counted from 1. For several offsets, use `LineIndex`."""
    line_start = text.rfind("\n", 0, offset)
    return text.count("\n", 0, offset) + 1, offset - line_start


def skip_whitespace(text: str, offset: int) -> int:
    """Return the offset of the first character at or after an offset that is not JSON whitespace."""
    match = _WHITESPACE.match(text, offset)
    return match.end() if match else offset
