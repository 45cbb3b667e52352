"""Violations of a schema: their order, places as JSON pointers, and texts of bounded length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, cast

_ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,8}")


def format_pointer(tokens: Iterable[str | int]) -> str:
    """Return the JSON pointer of these members and indices; without any, the empty string, for the whole document."""
    texts = [*map(str, tokens)]
    pointer = "/".join(["", *texts])
    if "~" not in pointer and pointer.count("/") == len(texts):
        return pointer  # nothing to escape
    return "".join("/" + text.replace("~", "~0").replace("/", "~1") for text in texts)


def parse_pointer(pointer: str) -> list[str]:
    """Return the members and indices of a JSON pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def follow_pointer(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer.

    Raises:
        KeyError: there is no value.
    """
    value = document
    for key in parse_pointer(pointer):
        if isinstance(value, dict):
            value = cast(Any, value)[key]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(cast(Any, value)):
            value = cast(Any, value)[int(key)]
        else:
            raise KeyError(key)
    return value


MOST_PROBLEMS = 5
"""Maximum number of violations in an error."""
_EXCERPT_LENGTH = 60
"""Maximum characters of a name or a value in a message."""


class Problem(NamedTuple):
    """One violation."""

    path: tuple[str | int, ...]
    """Members and indices that lead to the place in the value."""
    keyword: str
    """Violated keyword of the schema."""
    expected: str
    """What the schema requires, without any text of the value."""
    found: str = ""
    """What the value has instead, shortened."""

    @property
    def message(self) -> str:
        """Text of what is expected and what was found."""
        return f"{self.expected}, got {self.found}" if self.found else self.expected


def sort_by_place(problems: Iterable[Problem], value: Any) -> list[Problem]:
    """Return problems in the order of their places in a value; those of absent members come after those of others."""
    positions = Positions(value)
    return sorted(problems, key=lambda problem: positions.find(problem.path))


class Positions:
    """Positions of places in a value, which are in the order of the value."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._members: dict[int, dict[str, int]] = {}
        """The number of each member of an object, by the object's id."""

    def find(self, path: Sequence[str | int]) -> tuple[int, ...]:
        """Return the position of a place; an absent member comes after the others of its object."""
        position: list[int] = []
        value = self._value
        for token in path:
            if isinstance(value, list | tuple) and isinstance(token, int):
                position.append(token)
                value = cast(Any, value)[token] if token < len(cast(Any, value)) else None
                continue
            members = self._number_members(cast(object, value))
            if token not in members:
                position.append(len(members))
                break
            position.append(members[str(token)])
            value = cast(dict[str, Any], value)[str(token)]
        return tuple(position)

    def _number_members(self, value: object) -> dict[str, int]:
        if not isinstance(value, dict):
            return {}
        members = self._members.get(id(cast(object, value)))
        if members is None:
            names = cast(dict[str, Any], value)
            members = self._members[id(cast(object, value))] = dict(zip(names, range(len(names)), strict=True))
        return members


# --- words -----------------------------------------------------------------------------------------------------------
_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
    "array": "an array",
}


def _expect_type(types: Any) -> str:
    names = [types] if isinstance(types, str) else cast(list[str], types)
    return f"should be {' or '.join(map(_TYPES.get, names, names))}"


def _expect_enum(values: list[Any]) -> str:
    listed = ", ".join(format_short(value) for value in values[:5])
    more = f" or one of {len(values) - 5} more values" if len(values) > 5 else ""
    return f"should be one of {listed}{more}" if len(values) != 1 else f"should be {listed}"


EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _expect_type,
    "enum": _expect_enum,
    "const": lambda value: f"should be {format_short(value)}",
    "minimum": lambda bound: f"should be at least {format_short(bound)}",
    "maximum": lambda bound: f"should be at most {format_short(bound)}",
    "exclusiveMinimum": lambda bound: f"should be greater than {format_short(bound)}",
    "exclusiveMaximum": lambda bound: f"should be less than {format_short(bound)}",
    "multipleOf": lambda divisor: f"should be a multiple of {format_short(divisor)}",
    "minLength": lambda count: f"should have at least {format_count(count, 'character')}",
    "maxLength": lambda count: f"should have at most {format_count(count, 'character')}",
    "minItems": lambda count: f"should have at least {format_count(count, 'item')}",
    "maxItems": lambda count: f"should have at most {format_count(count, 'item')}",
    "minProperties": lambda count: f"should have at least {format_count(count, 'member')}",
    "maxProperties": lambda count: f"should have at most {format_count(count, 'member')}",
    "uniqueItems": lambda _: "should have no two equal items",
    "pattern": lambda pattern: f"should match the pattern {format_short(pattern)}",
}
"""Keywords without subschemas, and what they require."""


def format_count(number: Any, noun: str) -> str:
    """Return a number with its noun."""
    return f"{format_short(number)} {noun}" if number == 1 else f"{format_short(number)} {noun}s"


def format_short(value: Any) -> str:
    """Return the JSON text of a value from the schema, shortened."""
    if isinstance(value, dict | list):
        return describe_value(cast(Any, value))
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _EXCERPT_LENGTH else f"{text[: _EXCERPT_LENGTH - 1]}…"


def describe_value(value: Any) -> str:
    """Describe a value in a few words."""
    match value:
        case str() if len(value) > _EXCERPT_LENGTH:
            start = json.dumps(value[: _EXCERPT_LENGTH // 2], ensure_ascii=False)
            return f"a string of {len(value)} characters that starts with {start}"
        case int() if not isinstance(value, bool) and abs(value) >= 10**40:
            return "a very large integer"
        case None | bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return f"an object with {format_count(len(cast(Any, value)), 'member')}"
        case list() | tuple():
            return f"an array of {format_count(len(cast(Any, value)), 'item')}"
        case _:
            return f"a {type(value).__name__}"


def cut_text(text: str, most: int) -> str:
    """Cut visible text to at most `most` bytes of UTF-8, between two characters; keep its line breaks."""
    start = re.sub(_UNSAFE_IN_LINES, _escape, text[: most + 1])
    data = start.encode()
    if len(data) <= most:
        return start
    return data[: most - len(_CUT)].decode("utf-8", "ignore") + "…"


def make_visible(text: str) -> str:
    """Make text safe for a terminal and a log: escape characters that move the cursor or end the line."""
    return re.sub(_UNSAFE, _escape, text)


def find_difference(old: str, new: str) -> int:
    """Return the index of the first character in which two strings differ."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_REORDERING = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_INVISIBLE = (
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u3164\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Characters that are invisible to people, but that a model reads."""
_UNSAFE = rf"[\x00-\x1f\x7f-\x9f{_REORDERING}{_INVISIBLE}\ud800-\udfff]"
"""Control characters, characters that change the reading direction or are invisible, and lone surrogates, which UTF-8
cannot encode. `re` compiles it when it is first needed, which is not at import."""
_UNSAFE_IN_LINES = _UNSAFE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")
"""The same without tabs and line feeds."""
_CUT = "…".encode()


def shorten_problem(path: Sequence[str | int], message: str, most: int) -> tuple[tuple[str | int, ...], str]:
    """Shorten a path and a message to about `most` bytes together, of which the path takes at most half."""
    text = "/".join([*map(str, path), message])
    if len(text) < most // 8 and text.isascii() and text.isprintable():
        return tuple(path), message  # the usual case
    short = shorten_path(path, most // 2)
    used = sum(len(str(token).encode()) + 1 for token in short)
    return short, cut_text(message, max(most - used, most // 2))


def shorten_path(path: Sequence[str | int], most: int) -> tuple[str | int, ...]:
    """Shorten a path of visible tokens to about `most` bytes of UTF-8: keep its start and its end."""
    longest = max(most // 4, len(_CUT))
    tokens = [
        token if isinstance(token, int) else cut_text(make_visible(token[: longest + 1]), longest) for token in path
    ]
    start, end = 0, len(tokens)
    remaining = most - 1
    while start < end:
        at_start = start <= len(tokens) - end
        token = tokens[start] if at_start else tokens[end - 1]
        remaining -= len(str(token).encode()) + 1
        if remaining < 0:
            break
        start, end = (start + 1, end) if at_start else (start, end - 1)
    return tuple(tokens) if start >= end else (*tokens[:start], "…", *tokens[end:])


# --- which alternative was meant -------------------------------------------------------------------------------------
def fits(schema: Any, value: Any) -> bool:
    """Return whether the types and constants of a schema, including its properties' constants, allow a value."""
    if not isinstance(schema, dict):
        return schema is True
    members = cast(dict[str, Any], schema)
    types = members.get("type", ())
    names = cast(list[str], [types] if isinstance(types, str) else types)
    kind = _get_type(value)
    if names and kind not in names and not (kind == "integer" and "number" in names):
        return False
    if "const" in members and not _is_same(members["const"], value):
        return False
    if not isinstance(value, dict):
        return True
    for name, inner in cast(dict[str, Any], members.get("properties", {})).items():
        is_constant = isinstance(inner, dict) and "const" in inner and name in value
        if is_constant and not _is_same(cast(Any, inner)["const"], value[name]):
            return False
    return True


def _is_same(constant: Any, value: Any) -> bool:
    """Return whether a scalar constant equals a value."""
    return _get_type(constant) == _get_type(value) and bool(constant == value)


def _get_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return "array"
