"""Parse JSON text strictly, find the positions of its parts, and explain what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Callable
from json import decoder

from mcpgen.schema.values import Json, format_pointer, iterate_children

_NUMBER_HELP = "leave the keyword out, or write a number that a double can hold"
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class InvalidJson(ValueError):
    """Text that is not valid JSON, or that repeats a name in an object; `at` is the offset of the fault."""

    def __init__(self, message: str, offset: int, help: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.help = message, offset, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.at, self.help), self.__dict__


class LoneSurrogate(ValueError):
    """JSON text with a lone surrogate in the string at a JSON pointer, or in a name of the object there."""

    def __init__(self, pointer: str) -> None:
        super().__init__(pointer)
        self.pointer = pointer


def parse_json(text: str) -> Json:
    """Return the value of a JSON text.

    Raises:
        InvalidJson: The text is not valid, repeats a name in an object, or has a number that is too large.
        LoneSurrogate: A string contains a lone surrogate.
    """
    try:
        value: Json = json.loads(
            text, object_pairs_hook=_build_object, parse_constant=_reject_constant, parse_float=_parse_float
        )
    except json.JSONDecodeError as error:
        message, offset, help = explain_json_fault(text, error.pos, error.msg)
        raise InvalidJson(message, offset, help) from None
    except RecursionError:
        raise InvalidJson("nested too deeply to be read", 0) from None
    except ValueError:  # a repeated name, NaN, or an integer with more digits than Python reads
        offset, message = _find_fault(text)
        help = "remove one of the two, or rename it" if "stands twice" in message else _NUMBER_HELP
        raise InvalidJson(message, offset, help) from None
    if (pointer := find_lone_surrogate(text, value)) is not None:
        raise LoneSurrogate(pointer)
    return value


def _build_object(items: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(items)
    if len(value) != len(items):
        raise ValueError("a name stands twice")
    return value


def _reject_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a number")


def _parse_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large a number")
    return value


def find_lone_surrogate(text: str, value: Json) -> str | None:
    """Return the pointer of a string with a lone surrogate, None if there is none."""
    if _ESCAPED_SURROGATE.search(text) is None:
        return None
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        pointer, part = stack.pop()
        texts = [part] if isinstance(part, str) else part if isinstance(part, dict) else ()
        if not all(map(is_encodable, texts)):
            return pointer
        stack.extend((pointer + format_pointer(key), child) for key, child in iterate_children(part))
    return None


def is_encodable(text: str) -> bool:
    """Return whether a string has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'  # possessive: never backtracks
_JSON_TOKEN = re.compile(
    _STRING + r"|(?P<number>NaN|-?Infinity|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
    r"|[{}\[\]]",
    re.DOTALL,
)
"""The tokens up to the fault, as `json` reads them. What comes after it need not be JSON."""


def _find_fault(text: str) -> tuple[int, str]:
    """Return the offset and the description of the first repeated name or wrong number; before it, all is valid."""
    open_objects: list[set[str] | None] = []
    for match in _JSON_TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            open_objects.append(set() if token == "{" else None)
        elif token in "}]":
            open_objects.pop()
        elif token[0] == '"':
            names = open_objects[-1] if open_objects else None
            if names is not None and text[skip_whitespace(text, match.end())] == ":":
                name = str(json.loads(token))
                if name in names:
                    return match.start(), f'the name "{name}" stands twice in one object'
                names.add(name)
        elif len(token) > 4000:
            return match.start(), f"{token[:20]} is too large a number"
        elif match["number"] and not math.isfinite(float(token)):
            is_word = token.lstrip("-").isalpha()
            return match.start(), f"{token[:20]} is {'not a JSON number' if is_word else 'too large a number'}"
    return 0, "not valid JSON"


_JSON_STRING = re.compile(_STRING, re.DOTALL)
_EMPTY_CONTAINER = re.compile(r"\[[ \t\n\r]*\]|\{[ \t\n\r]*\}")


def count_values(text: str, enough: int) -> int:
    """Return how many values a valid JSON text contains, without parsing it, or an upper bound up to `enough`."""
    upper_bound = 1 + text.count(",") + text.count("[") + text.count("{")
    if upper_bound <= enough:
        return upper_bound
    structure = _JSON_STRING.sub('""', text)
    empty_count = sum(1 for _ in _EMPTY_CONTAINER.finditer(structure))
    return 1 + structure.count(",") + structure.count("[") + structure.count("{") - empty_count


# --- positions --------------------------------------------------------------------------------------------------------
_WHITESPACE = re.compile(r"[ \t\n\r]*")
_STRING_OR_BRACKET = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
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
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def find_offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column."""
        return self._starts[line - 1] + column - 1

    def get_line(self, number: int) -> str:
        """Return a line without its end, "" if there is none."""
        if not 0 < number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._text.find("\n", start)
        return self._text[start : None if end < 0 else end].rstrip("\r")


def skip_whitespace(text: str, offset: int) -> int:
    """Return the offset of the first character at or after an offset that is not JSON whitespace."""
    match = _WHITESPACE.match(text, offset)
    return match.end() if match else offset


# --- usual mistakes ---------------------------------------------------------------------------------------------------
_FOREIGN_WORDS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "nil": "null",
    "NULL": "null",
    "TRUE": "true",
    "FALSE": "false",
}
"""Words of other languages → JSON's word."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_CURLY_QUOTES = "“”„‟‘’«»"
_JSON_FIXES = {
    "Expecting ':' delimiter": "write a colon between the name and its value",
    "Unterminated string": "close the string with a double quote; a line break in a string is written \\n",
    "Invalid control character": "write a line break in a string as \\n and a tab as \\t",
    "Invalid \\escape": "write a backslash in a string twice: \\\\",
    "Invalid \\uXXXX escape": "write four hexadecimal digits after \\u",
}
"""Beginning of a message of Python's parser → what to do."""
_MAX_LOOK_BACK = 1000
"""Characters before a fault that are looked at."""


def explain_json_fault(text: str, offset: int, message: str) -> tuple[str, int, str]:
    """Return the message, the offset and the help for a fault in a JSON text, where Python's parser stopped."""
    if not text.strip():
        return "the file is empty", 0, "write a definition into it, or remove the file"
    preceding = text[max(0, offset - _MAX_LOOK_BACK) : offset].rstrip()
    character = text[offset : offset + 1]
    closing = {"}": "object", "]": "array"}.get(character)
    if preceding.endswith(",") and closing:  # the message of Python 3.13, in all versions
        offset = len(text[:offset].rstrip()) - 1
        return f"{_NOT_JSON}Illegal trailing comma before end of {closing}", offset, _TRAILING_COMMA
    if message.startswith("Illegal trailing comma"):
        return f"{_NOT_JSON}{message}", offset, _TRAILING_COMMA
    if (explained := _explain_character(text, offset, message)) is not None:
        return explained[0], offset, explained[1]
    is_end = not text[offset:].strip()
    if is_end and message.startswith("Expecting"):
        help = 'add what is missing at the end: every {, [ and " needs its counterpart'
        return f"{_NOT_JSON}the text ends too early", offset, help
    if message.startswith("Expecting ',' delimiter"):
        return f"{_NOT_JSON}{message}", offset, "write a comma between the two members, before this place"
    if message.startswith("Extra data"):
        if closing:
            return (
                f"{_NOT_JSON}a closing bracket too many",
                offset,
                "remove it, or add the bracket that it should close",
            )
        help = "a file holds one value: write several Tools as a list, [{…}, {…}], or give each a file of its own"
        return f"{_NOT_JSON}a second value begins here", offset, help
    help = next((help for start, help in _JSON_FIXES.items() if message.startswith(start)), "")
    if not help and message.startswith("Expecting value"):
        help = "a value is a string in double quotes, a number, true, false, null, an object or an array"
    return f"{_NOT_JSON}{message}", offset, help


_NOT_JSON = "not valid JSON: "
_TRAILING_COMMA = "remove the comma before the closing bracket"


def _explain_character(text: str, offset: int, message: str) -> tuple[str, str] | None:
    character = text[offset : offset + 1]
    word = match[0] if (match := _WORD.match(text, offset)) else ""
    if word in _FOREIGN_WORDS:
        return f"{_NOT_JSON}{word} is not a word of JSON", f"write {_FOREIGN_WORDS[word]}"
    if character == "'":
        return f"{_NOT_JSON}{message}", "write strings and names in double quotes"
    if character and character in _CURLY_QUOTES:
        return f"{_NOT_JSON}curly quotes", 'write straight double quotes: "'
    if text[offset : offset + 2] in ("//", "/*") or character == "#":
        return f"{_NOT_JSON}{message}", "JSON has no comments: remove it, or use a .yaml file, which may hold some"
    if character == "<" and not text[:offset].strip():
        return f"{_NOT_JSON}this looks like HTML or XML", "save the definition itself, not the page that shows it"
    if word and "property name" in message:
        return f"{_NOT_JSON}{message}", "write names in double quotes"
    return None
