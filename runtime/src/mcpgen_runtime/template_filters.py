"""Functions that content templates use and that Python does not have."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

from .json_objects import JsonObject
from .json_types import JsonValue

T = TypeVar("T")


# --- values ----------------------------------------------------------------------------------------------------------
def members(value: JsonObject) -> dict[str, JsonValue]:
    """Return the present properties of an object by their wire names, as JSON."""
    return value.to_structured_content()


def has_item(value: JsonValue, key: str | int) -> bool:
    """Return whether a JSON value has a property, or an item with that index."""
    if isinstance(key, str):
        return isinstance(value, dict) and key in value
    return isinstance(value, list | str) and -len(value) <= key < len(value)


def json_item(value: JsonValue, key: str | int) -> JsonValue:
    """Return a property or item of a JSON value.

    Raises:
        KeyError: it does not exist.
    """
    if isinstance(value, dict) and isinstance(key, str):
        return value[key]
    if isinstance(value, list | str) and isinstance(key, int) and has_item(value, key):
        return value[key]
    raise KeyError(key)


def unique(values: Iterable[T], key: Callable[[T], object] | None = None) -> list[T]:
    """Return the first of each group of items that are equal, or have equal keys."""
    first_by_key: dict[object, T] = {}
    for value in values:
        first_by_key.setdefault(value if key is None else key(value), value)
    return [*first_by_key.values()]


# --- text ------------------------------------------------------------------------------------------------------------
_WORD_START = re.compile(r"([-\s({\[<]+)")


def titled(text: str) -> str:
    """Capitalize each word, and lower-case its other letters."""
    return "".join(part[0].upper() + part[1:].lower() for part in _WORD_START.split(text) if part)


def word_count(text: str) -> int:
    """Count the words."""
    return len(re.findall(r"\w+", text))


def reversed_text(text: str) -> str:
    """Return the characters from last to first."""
    return text[::-1]


def truncated(text: str, length: int, cut: bool, end: str, leeway: int) -> str:
    """Shorten text that is too long, and append `end`; with `cut`, also within a word."""
    if len(text) <= length + leeway:
        return text
    start = text[: length - len(end)]
    return (start if cut else start.rsplit(" ", 1)[0]) + end


def to_html_json(value: object, indent: int | None = None) -> str:
    """Return JSON with sorted keys, and with escapes for HTML markup."""
    text = json.dumps(value, sort_keys=True, indent=indent)
    for char in "<>&'":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


# --- numbers ---------------------------------------------------------------------------------------------------------
def rounded(value: float, precision: int, method: Literal["ceil", "floor"]) -> float:
    """Round a number up or down at a decimal place."""
    scale: float = 10**precision
    return (math.ceil if method == "ceil" else math.floor)(value * scale) / scale


def to_int(value: str | float | None, default: int = 0, base: int = 10) -> int:
    """Convert text or a number to an integer, without its fraction."""
    if value is None:
        return default
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except ValueError:
        try:
            return int(float(value))
        except (ValueError, OverflowError):
            return default


def to_float(value: str | float | None, default: float = 0.0) -> float:
    """Convert text to a number."""
    try:
        return default if value is None else float(value)
    except ValueError:
        return default


# --- dates -----------------------------------------------------------------------------------------------------------
_RFC_3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)?(?:(?:^|(?<=\d)[Tt ])(\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?)?",
    re.ASCII,
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def date_text(value: str | bytes | datetime.date | datetime.time, pattern: str) -> str:
    """Format a date, a time or both like `strftime`, in English; other strings stay unchanged."""
    text = value if isinstance(value, str) else _format_value(value)
    moment = _parse_moment(text)
    if moment is None:
        return text
    return re.sub(
        r"%(-?)(.)",
        lambda directive: _format_part(moment, directive[2], bool(directive[1])),
        pattern,
    )


def _format_value(value: bytes | datetime.date | datetime.time) -> str:
    return value.decode() if isinstance(value, bytes) else value.isoformat()


def _parse_moment(text: str) -> datetime.datetime | None:
    match = _RFC_3339.fullmatch(text)
    if match is None or not text:
        return None
    day, time, fraction, zone = match.groups()
    micro = (fraction or "").ljust(6, "0")[:6]
    try:
        return datetime.datetime.fromisoformat(
            f"{day or '1900-01-01'}T{time or '00:00:00'}.{micro}{(zone or '').upper()}"
        )
    except ValueError:
        return None


def _format_part(moment: datetime.datetime, letter: str, unpadded: bool) -> str:
    numbers = {
        "d": (moment.day, 2),
        "H": (moment.hour, 2),
        "I": (moment.hour % 12 or 12, 2),
        "j": (moment.timetuple().tm_yday, 3),
        "m": (moment.month, 2),
        "M": (moment.minute, 2),
        "S": (moment.second, 2),
        "y": (moment.year % 100, 2),
        "Y": (moment.year, 4),
        "f": (moment.microsecond, 6),
    }
    if letter in numbers:
        number, width = numbers[letter]
        return str(number) if unpadded else f"{number:0{width}}"
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    texts = {
        "A": day,
        "a": day[:3],
        "B": month,
        "b": month[:3],
        "p": "AM" if moment.hour < 12 else "PM",
    }
    return texts.get(letter, moment.strftime("%z") if letter == "z" else "%")


__all__ = [
    "date_text",
    "has_item",
    "json_item",
    "members",
    "reversed_text",
    "rounded",
    "titled",
    "to_float",
    "to_html_json",
    "to_int",
    "truncated",
    "unique",
    "word_count",
]
