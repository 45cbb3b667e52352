"""Parse JSON text strictly, with the offset of what is wrong with it."""

from __future__ import annotations

import json
import math
import re

from mcpgen.read.json_positions import skip_whitespace
from mcpgen.read.text_mistakes import explain_json_fault
from mcpgen.schema.values import Json, format_pointer

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
        match part:
            case str():
                if not is_encodable(part):
                    return pointer
            case dict():
                if any(not is_encodable(key) for key in part):
                    return pointer
                stack.extend((pointer + format_pointer(key), child) for key, child in part.items())
            case list():
                stack.extend((pointer + format_pointer(index), child) for index, child in enumerate(part))
            case _:
                pass
    return None


def is_encodable(text: str) -> bool:
    """Return whether a string has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_JSON_TOKEN = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
    r"|(?P<number>NaN|-?Infinity|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
    r"|[{}\[\]]",
    re.DOTALL,
)
"""The tokens up to the fault, as `json` reads them. What comes after it need not be JSON."""


def _find_fault(text: str) -> tuple[int, str]:
    """Return the offset and the description of the first repeated name, or of a number that isn't a JSON number.

    The text is valid up to there.
    """
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


_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)  # possessive: never backtracks
_EMPTY_CONTAINER = re.compile(r"\[[ \t\n\r]*\]|\{[ \t\n\r]*\}")


def count_values(text: str, enough: int) -> int:
    """Return how many values a valid JSON text contains, without parsing it, or an upper bound up to `enough`."""
    upper_bound = 1 + text.count(",") + text.count("[") + text.count("{")
    if upper_bound <= enough:
        return upper_bound
    structure = _JSON_STRING.sub('""', text)
    empty_count = sum(1 for _ in _EMPTY_CONTAINER.finditer(structure))
    return 1 + structure.count(",") + structure.count("[") + structure.count("{") - empty_count
