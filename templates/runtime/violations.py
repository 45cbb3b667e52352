"""What is said of a JSON value that violates a schema: what is expected, and what was found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

_LONGEST_WORD = 60
"""Characters of a name, or of a value, that are shown."""


class Problem(NamedTuple):
    """One violation."""

    path: tuple[str | int, ...]
    """The members and indices that lead to the place in the value."""
    keyword: str
    """The keyword of the schema that is violated."""
    expected: str
    """What the schema asks for, in words that hold nothing of the value."""
    found: str = ""
    """What is there instead, shortened."""

    @property
    def message(self) -> str:
        """What is expected and what was found."""
        return f"{self.expected}, got {self.found}" if self.found else self.expected


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
    return f"should be {' or '.join(_TYPES.get(name, name) for name in names)}"


def _expect_enum(values: list[Any]) -> str:
    shown = ", ".join(short(value) for value in values[:5])
    more = f" or one of {len(values) - 5} more values" if len(values) > 5 else ""
    return f"should be one of {shown}{more}" if len(values) != 1 else f"should be {shown}"


EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _expect_type,
    "enum": _expect_enum,
    "const": lambda value: f"should be {short(value)}",
    "minimum": lambda bound: f"should be at least {short(bound)}",
    "maximum": lambda bound: f"should be at most {short(bound)}",
    "exclusiveMinimum": lambda bound: f"should be greater than {short(bound)}",
    "exclusiveMaximum": lambda bound: f"should be less than {short(bound)}",
    "multipleOf": lambda divisor: f"should be a multiple of {short(divisor)}",
    "minLength": lambda count: f"should have at least {plural(count, 'character')}",
    "maxLength": lambda count: f"should have at most {plural(count, 'character')}",
    "minItems": lambda count: f"should have at least {plural(count, 'item')}",
    "maxItems": lambda count: f"should have at most {plural(count, 'item')}",
    "minProperties": lambda count: f"should have at least {plural(count, 'member')}",
    "maxProperties": lambda count: f"should have at most {plural(count, 'member')}",
    "uniqueItems": lambda _: "should have no two equal items",
    "pattern": lambda pattern: f"should match the pattern {short(pattern)}",
}
"""The keywords without subschemas, and what they ask for."""


def plural(number: Any, noun: str) -> str:
    """Return a number with its noun."""
    return f"{short(number)} {noun}" if number == 1 else f"{short(number)} {noun}s"


def short(value: Any) -> str:
    """Return the JSON text of a value of the schema, shortened."""
    if isinstance(value, dict | list):
        return excerpt(cast(Any, value))
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_WORD else f"{text[: _LONGEST_WORD - 1]}…"


def excerpt(value: Any) -> str:
    """Return what a value is, in a few words."""
    match value:
        case str() if len(value) > _LONGEST_WORD:
            start = json.dumps(value[: _LONGEST_WORD // 2], ensure_ascii=False)
            return f"a string of {len(value)} characters that starts with {start}"
        case int() if not isinstance(value, bool) and abs(value) >= 10**40:
            return "a very large integer"
        case None | bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return f"an object with {plural(len(cast(Any, value)), 'member')}"
        case list() | tuple():
            return f"an array of {plural(len(cast(Any, value)), 'item')}"
        case _:
            return f"a {type(value).__name__}"


def shortened_path(path: Sequence[str | int], most: int) -> tuple[str | int, ...]:
    """Return a path in about so many characters: its start and its end where it is longer."""
    tokens = [token if isinstance(token, int) else _shown(token, most // 4) for token in path]
    start, end = 0, len(tokens)
    left = most - 1
    while start < end:
        at_start = start <= len(tokens) - end
        token = tokens[start] if at_start else tokens[end - 1]
        left -= len(str(token)) + 1
        if left < 0:
            break
        start, end = (start + 1, end) if at_start else (start, end - 1)
    return tuple(tokens) if start >= end else (*tokens[:start], "…", *tokens[end:])


def _shown(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 1, 1)]}…"


# --- which alternative was meant ---------------------------------------------------------------------------------------
def fits(schema: Any, value: Any) -> bool:
    """Return whether the types and the constants of a schema, its properties' constants too, allow a value."""
    if not isinstance(schema, dict):
        return schema is True
    held = cast(dict[str, Any], schema)
    types = held.get("type", ())
    names = cast(list[str], [types] if isinstance(types, str) else types)
    if names and _type_of(value) not in names:
        if not (_type_of(value) == "integer" and "number" in names):
            return False
    if "const" in held and not _is_same(held["const"], value):
        return False
    if not isinstance(value, dict):
        return True
    for name, inner in cast(dict[str, Any], held.get("properties", {})).items():
        if isinstance(inner, dict) and "const" in inner and name in value:
            if not _is_same(cast(Any, inner)["const"], value[name]):
                return False
    return True


def _is_same(constant: Any, value: Any) -> bool:
    """Return whether a constant without members is a value."""
    return _type_of(constant) == _type_of(value) and bool(constant == value)


def _type_of(value: Any) -> str:
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


__all__ = ["EXPECTED", "Problem", "excerpt", "fits", "plural", "short", "shortened_path"]
