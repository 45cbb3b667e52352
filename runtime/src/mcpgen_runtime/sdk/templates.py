"""What content templates and tables use: filters, and the cells of tables."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Literal, TypeVar, cast

from ..core_schemas import write_json_bytes
from ..json_types import JsonValue
from ..models import JsonObject, to_json_value

T = TypeVar("T")
_SUMMARY_LENGTH, _SUMMARY_LINES = 200, 50  # of a text in a summary, and of the summary


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
    """Return a property or item of a JSON value, or raise KeyError."""
    if not has_item(value, key):
        raise KeyError(key)
    return cast(JsonValue, cast(Any, value)[key])


def unique(values: Iterable[T], key: Callable[[T], object] | None = None) -> list[T]:
    """Return the first of each group of items that are equal, or have equal keys."""
    first_by_key: dict[object, T] = {}
    for value in values:
        first_by_key.setdefault(value if key is None else key(value), value)
    return [*first_by_key.values()]


def summary_text(value: JsonValue) -> str:
    """Return a line for each property of an object, or one for another value: texts and numbers, or how much there is.

    A text is cut after 200 characters, and its lines are joined. An object with more than 50 properties, which may be a
    map, has lines for the first 50.
    """
    if not isinstance(value, dict) or not value:
        return _summarize(value)
    shown = islice(value.items(), _SUMMARY_LINES)
    lines = [f"{_summarize(name)}: {_summarize(item)}" for name, item in shown]
    more = len(value) - len(lines)
    return "\n".join([*lines, *([f"… and {more:,} more"] if more else [])])


def _summarize(value: JsonValue) -> str:
    if isinstance(value, list | dict):
        one, several = ("item", "items") if isinstance(value, list) else ("property", "properties")
        return f"{len(value):,} {one if len(value) == 1 else several}"
    text = value if isinstance(value, str) else write_json_bytes(value).decode()
    start = " ".join(text[:_SUMMARY_LENGTH].splitlines())
    return start if len(text) <= _SUMMARY_LENGTH else f"{start}…"


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
    return re.sub("[<>&']", lambda char: f"\\u{ord(char[0]):04x}", text)


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
        number = to_float(value, math.nan)
        return int(number) if math.isfinite(number) else default


def to_float(value: str | float | None, default: float = 0.0) -> float:
    """Convert text to a number."""
    try:
        return default if value is None else float(value)
    except ValueError:
        return default


# --- dates -----------------------------------------------------------------------------------------------------------
_RFC_3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)?(?:(?:^|(?<=\d)[Tt ])(\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?))?", re.ASCII
)
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()


def date_text(value: str | bytes | datetime.date | datetime.time, pattern: str) -> str:
    """Format a date, a time or both like `strftime`, in English; other strings stay unchanged."""
    text = value if isinstance(value, str) else value.decode() if isinstance(value, bytes) else value.isoformat()
    match = _RFC_3339.fullmatch(text)
    if not match or not text:
        return text
    try:
        moment = datetime.datetime.fromisoformat(f"{match[1] or '1900-01-01'}T{(match[2] or '00:00:00').upper()}")
    except ValueError:
        return text
    return re.sub(r"%(-?)(.)", lambda directive: _format_part(moment, directive[2], bool(directive[1])), pattern)


def _format_part(moment: datetime.datetime, letter: str, unpadded: bool) -> str:
    if letter in "dHIjmMSyYf":
        number = f"{moment.year:04}" if letter == "Y" else moment.strftime(f"%{letter}")
        return str(int(number)) if unpadded else number
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    texts = {"A": day, "a": day[:3], "B": month, "b": month[:3], "p": "AM" if moment.hour < 12 else "PM"}
    return texts.get(letter, moment.strftime("%z") if letter == "z" else "%")


# --- values as text --------------------------------------------------------------------------------------------------
_OTHER_VALUE = re.compile(r'|null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|["{\[].*', re.DOTALL)
"""Strings that would read as another value. Surrounding white space is not matched, since that would take quadratic
time."""


def json_text(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_text(value: object) -> str:
    """Return a string, in quotes if it would read as another value; any other value as compact JSON."""
    if isinstance(value, str) and not _OTHER_VALUE.fullmatch(value.strip()):
        return value
    return json_text(value)


def nullable_text(value: str | None) -> str:
    """Return a string, in quotes if it would read as null, as absent or as a quoted string."""
    if value is None:
        return "null"
    return json_text(value) if value in ("", "null") or value.startswith('"') else value


def line_text(value: object) -> str:
    """Return a value as in `value_text`, on one line: a string with a line break is in quotes."""
    has_break = isinstance(value, str) and ("\n" in value or "\r" in value)
    return json_text(value) if has_break else value_text(value)


# --- formats ---------------------------------------------------------------------------------------------------------
_MARKUP = re.compile(
    r"""
    \A\s+ | (?<!\s)\s+\Z | [\r\n]+  # whitespace that a parser drops, or that ends the row
    | \\\Z                          # before the end of the cell
    | \\(?![^\W_])                  # before a character that it would escape
    | [`*~|]
    | (?<![^\W_])_ | _(?![^\W_])    # not within a word
    | <(?=[A-Za-z/!?])
    | &(?=\#?[0-9A-Za-z]+;)
    | \](?=[(\[:])
    """,
    re.VERBOSE,
)


def markdown_text(text: str) -> str:
    """Escape text for a Markdown cell or line, so that a parser reads it unchanged."""
    return _MARKUP.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    markup = match[0]
    if markup.isspace():
        return "".join(f"&#{ord(char)};" for char in markup)
    return "&#92;" if markup == "\\" and match.end() == len(match.string) else f"\\{markup}"


def csv_text(text: str) -> str:
    """Return text as a field of CSV (RFC 4180)."""
    return _quote(text, ",")


def tsv_text(text: str) -> str:
    """Return text as a field of tab-separated values, in quotes as in CSV if necessary."""
    return _quote(text, "\t")


def _quote(text: str, delimiter: str) -> str:
    is_plain = delimiter not in text and '"' not in text and "\n" not in text and "\r" not in text
    return text if is_plain else '"' + text.replace('"', '""') + '"'


# --- undeclared properties -------------------------------------------------------------------------------------------
_PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_ .][A-Za-z0-9]+)*")


def undeclared(value: JsonObject) -> dict[str, JsonValue]:
    """Return the undeclared properties of an object as JSON."""
    return cast(dict[str, JsonValue], to_json_value(value.__pydantic_extra__ or {}))


def undeclared_row(row: JsonObject, *nested: object) -> str:
    """Return the undeclared properties of a row as JSON, by column name; empty if there are none.

    `nested` has the objects inside it that have columns, each after the prefix of its column names.
    """
    members = {
        f"{start}{column_name(name)}": item
        for start, value in zip(("", *nested[::2]), (row, *nested[1::2]), strict=True)
        if isinstance(value, JsonObject)
        for name, item in undeclared(value).items()
    }
    return json_text(members) if members else ""


def column_name(name: str) -> str:
    """Return a property's part of a column's name, in quotes if it contains a dot that could separate two parts."""
    return json_text(name) if "." in name or name.startswith('"') or name in ("", "…") else name


def line_name(name: str) -> str:
    """Return a property's name for the start of a line, in quotes unless it consists of words."""
    return name if _PLAIN_NAME.fullmatch(name) else json_text(name)
