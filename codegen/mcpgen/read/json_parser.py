"""JSON text: its value, where it is wrong, and the place of any part of it, found when it is asked for."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Callable
from json import decoder

from mcpgen.schema.values import Json, format_pointer

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_raw_decode = json.JSONDecoder().raw_decode
_scan_string: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]


class InvalidJson(ValueError):
    """Text that is no JSON, or holds what no JSON value can; `at` is the offset."""

    def __init__(self, message: str, at: int, help: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.help = message, at, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.at, self.help), self.__dict__


class LoneSurrogate(ValueError):
    """A string holds a lone surrogate; `pointer` says where."""

    def __init__(self, pointer: str) -> None:
        super().__init__(pointer)
        self.pointer = pointer


def parse_json(text: str) -> Json:
    """The value of a JSON text.

    Raises:
        WrongJson: it is not valid.
        LoneSurrogate: a string of it is no text.
    """
    try:
        value: Json = json.loads(
            text, object_pairs_hook=_build_object, parse_constant=_reject_constant, parse_float=_parse_float
        )
    except json.JSONDecodeError as error:
        at, message = error.pos, error.msg
        before = text[max(0, at - 1000) : at].rstrip()
        closing = {"}": "object", "]": "array"}.get(text[at : at + 1])
        if before.endswith(",") and closing:  # Python 3.13's words, whatever the version
            at = len(text[:at].rstrip()) - 1
            message = f"Illegal trailing comma before end of {closing}"
        raise InvalidJson(f"not valid JSON: {message}", at, _suggest_fix(text, at)) from None
    except RecursionError:
        raise InvalidJson("nested too deeply to be read", 0) from None
    except ValueError:  # a name twice, NaN, or an integer of more digits than Python reads
        at, message = _find_fault(text)
        raise InvalidJson(message, at) from None
    if (bad := find_lone_surrogate(text, value)) is not None:
        raise LoneSurrogate(bad)
    return value


def _build_object(items: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(items)
    if len(value) != len(items):
        raise ValueError("a name stands twice")
    return value


def _reject_constant(name: str) -> Json:
    raise ValueError(f"{name} is no number")


def _parse_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large a number")
    return value


def find_lone_surrogate(text: str, value: Json) -> str | None:
    """The pointer of the first string that holds a lone surrogate, if any does."""
    if "\\u" not in text:
        return None
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        at, inner = stack.pop()
        match inner:
            case str():
                if not _is_encodable(inner):
                    return at
            case dict():
                if any(not _is_encodable(key) for key in inner):
                    return at
                stack.extend((at + format_pointer(key), child) for key, child in inner.items())
            case list():
                stack.extend((at + format_pointer(index), child) for index, child in enumerate(inner))
            case _:
                pass
    return None


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _suggest_fix(text: str, at: int) -> str:
    rest = text[at : at + 1]
    before = text[max(0, at - 1000) : at].rstrip()[-1:]
    if rest == "," or (rest in ("}", "]") and before == ","):
        return "remove the comma before the closing bracket"
    if before == ",":
        return "remove the comma after the last member"
    if rest == "'":
        return "JSON strings stand in double quotes"
    if text[at : at + 2] in ("//", "/*") or rest == "#":
        return "JSON has no comments; a .yaml file may hold them"
    return ""


_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]++|[{}\[\],:]', re.DOTALL)


def _find_fault(text: str) -> tuple[int, str]:
    """Where text that parses otherwise repeats a name in an object, or has a number that JSON lacks; and what."""
    open_objects: list[set[str] | None] = []
    for token in _JSON_TOKEN.finditer(text):
        said = token[0]
        if said in "{[":
            open_objects.append(set() if said == "{" else None)
        elif said in "}]":
            open_objects.pop()
        elif said[0] == '"':
            names = open_objects[-1] if open_objects else None
            if names is not None and text[_skip_whitespace(text, token.end())] == ":":
                name = str(json.loads(said))
                if name in names:
                    return token.start(), f'the name "{name}" stands twice in one object'
                names.add(name)
        elif len(said) > 4000:
            return token.start(), f"{said[:20]} is too large a number"
        elif said not in ("true", "false", "null", ",", ":") and not math.isfinite(float(said)):
            return token.start(), f"{said[:20]} is not a JSON number"
    return 0, "not valid JSON"


class JsonPositions:
    """Offsets in valid JSON text. What was scanned once is remembered, so that many questions cost about one scan."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._members: dict[int, dict[str, tuple[int, int]]] = {}

    def find(self, path: list[str], key: str | None) -> int:
        """The offset of the value at a path, or of its nearest ancestor; of a member's name when `key` is given."""
        at = _skip_whitespace(self._text, 0)
        for token in path:
            inner = self._inside(at).get(token)
            if inner is None:
                return at
            at = inner[1]
        if key is not None and (inner := self._inside(at).get(key)):
            return inner[0]
        return at

    def _inside(self, start: int) -> dict[str, tuple[int, int]]:
        """Each member or item of the value at an offset, with the offsets of its name and of its value."""
        if start in self._members:
            return self._members[start]
        text, at = self._text, start
        found: dict[str, tuple[int, int]] = {}
        opening = text[at]
        if opening in "{[":
            at = _skip_whitespace(text, at + 1)
            index = 0
            while text[at] not in "}]":
                begin = at
                name = str(index)
                if opening == "{":
                    name, at = _scan_string(text, at + 1, True)
                    at = _skip_whitespace(text, _skip_whitespace(text, at) + 1)
                found[name] = (begin, at)
                _, at = _raw_decode(text, at)
                at = _skip_whitespace(text, at)
                if text[at] == ",":
                    at = _skip_whitespace(text, at + 1)
                index += 1
        self._members[start] = found
        return found


class LineIndex:
    """Offsets of a text as lines and columns, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def locate(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def _skip_whitespace(text: str, at: int) -> int:
    match = _WHITESPACE.match(text, at)
    return match.end() if match else at


_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)  # never goes back, so it remembers nothing
_EMPTY_CONTAINER = re.compile(r"\[[ \t\n\r]*\]|\{[ \t\n\r]*\}")


def count_values(text: str, enough: int) -> int:
    """How many values a valid JSON text holds, without parsing it; an upper bound where that is not above `enough`."""
    most = 1 + text.count(",") + text.count("[") + text.count("{")
    if most <= enough:
        return most
    bare = _JSON_STRING.sub('""', text)
    empty = sum(1 for _ in _EMPTY_CONTAINER.finditer(bare))
    return 1 + bare.count(",") + bare.count("[") + bare.count("{") - empty
