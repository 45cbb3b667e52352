"""JSON values, JSON pointers, and the recursion limit for walks over deep values."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def format_pointer(*tokens: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of these tokens; without tokens, that of the whole document: an empty text."""
    pointer = ""
    for token in tokens:
        text = str(token)
        if "~" in text or "/" in text:
            text = text.replace("~", "~0").replace("/", "~1")
        pointer += "/" + text
    return pointer


_ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,8}")


def parse_pointer(text: str) -> list[str]:
    """Return the tokens of a JSON pointer (RFC 6901, section 3)."""
    tokens = text.split("/")[1:]
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens] if "~" in text else tokens


def find_property(pointer: str) -> str | None:
    """Return the name of the innermost property in which a JSON pointer of a schema leads, None if there is none."""
    tokens = parse_pointer(pointer)
    for index in range(len(tokens) - 1, 0, -1):
        if tokens[index - 1] == "properties":
            return tokens[index]
    return None


def parse_array_index(token: str) -> int | None:
    """Return a token of a JSON pointer as an array index (RFC 6901, section 4), None when it is not one."""
    return int(token) if _ARRAY_INDEX.fullmatch(token) else None


def follow_pointer(value: Json, path: Iterable[str]) -> Json:
    """Return the value at a JSON pointer's tokens; raise KeyError if there is none."""
    *_, last = value, *iterate_values(value, path)
    return last


def has_pointer(value: Json, pointer: str) -> bool:
    """Check whether there is a value at a JSON pointer."""
    try:
        follow_pointer(value, parse_pointer(pointer))
    except KeyError:
        return False
    return True


def iterate_values(value: Json, path: Iterable[str]) -> Iterator[Json]:
    """Yield the value after each of a JSON pointer's tokens; raise KeyError where there is none."""
    for token in path:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and (index := parse_array_index(token)) is not None and index < len(value):
            value = value[index]
        else:
            raise KeyError(token)
        yield value


def iterate_children(value: Json) -> Iterator[tuple[str | int, Json]]:
    """Yield the name and the value of each member of an object, the index and the value of each element of an array."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def canonicalize(value: Json) -> str:
    """Return the same text for equal JSON values: sorted keys, no spaces, integral floats as integers."""
    return json.dumps(_convert_integral(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def hash_json(value: Json) -> str:
    """Return the SHA-256 of a JSON value's canonical text, in hex."""
    return hashlib.sha256(canonicalize(value).encode()).hexdigest()


def _convert_integral(value: Json) -> Json:
    match value:
        case dict():
            return {key: _convert_integral(member) for key, member in value.items()}
        case list():
            return [_convert_integral(member) for member in value]
        case float():
            return normalize_number(value)
        case _:
            return value


def normalize_number(number: int | float) -> int | float:
    """Return an integral float as an integer, unless not all integers of its size are floats."""
    is_integral = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    return int(number) if is_integral else number


JSON_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")


def get_json_type(value: Json) -> str:
    """Return the JSON Schema type of a value; an integral float is an integer (2020-12 validation, section 6.1.1)."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case list():
            return "array"
        case dict():
            return "object"


def are_equal(a: Json, b: Json) -> bool:
    """Report whether two JSON values are equal (2020-12 core, section 4.2.2): 1 and 1.0 are, 1 and true are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(are_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(are_equal(a[key], b[key]) for key in a)
    return a == b


def make_identity_key(value: Json) -> Hashable:
    """Return a key that two JSON values have in common exactly if they are equal (see `are_equal`)."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *map(make_identity_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((key, make_identity_key(inner)) for key, inner in value.items()))
    return value


def make_identity_keys(values: Iterable[Json]) -> set[Hashable]:
    """Return the keys of values, to see whether another value is among them."""
    return set(map(make_identity_key, values))


def as_object(value: Json) -> dict[str, Json]:
    """Return an object as it is, and an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def as_array(value: Json) -> list[Json]:
    """Return an array as it is, and an empty one for any other value."""
    return value if isinstance(value, list) else []


RECURSION_LIMIT = 10_000
"""Frames for schemas as deep as `limits.depth` allows: some ten frames a level."""


@contextmanager
def allow_deep_recursion() -> Generator[None]:
    """Raise Python's recursion limit to `RECURSION_LIMIT` within the block, if it is lower."""
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(old_limit)
