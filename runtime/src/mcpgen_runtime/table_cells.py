"""Text of table cells, and of the lines above a table, for results as tables."""

from __future__ import annotations

import json
import re

from .json_objects import JsonObject, to_json_value
from .json_types import JsonValue

# --- values as text --------------------------------------------------------------------------------------------------
_OTHER_VALUE = re.compile(
    r'|null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|["{\[].*',
    re.DOTALL,
)
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


_CSV_DELIMITERS = re.compile(r'[",\r\n]')
_TSV_DELIMITERS = re.compile(r'["\t\r\n]')


def csv_text(text: str) -> str:
    """Return text as a field of CSV (RFC 4180)."""
    return _quote(text) if _CSV_DELIMITERS.search(text) else text


def tsv_text(text: str) -> str:
    """Return text as a field of tab-separated values, in quotes as in CSV if necessary."""
    return _quote(text) if _TSV_DELIMITERS.search(text) else text


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# --- undeclared properties -------------------------------------------------------------------------------------------
_PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_ .][A-Za-z0-9]+)*")


def undeclared(value: JsonObject) -> dict[str, JsonValue]:
    """Return the undeclared properties of an object as JSON."""
    members: dict[str, JsonValue] = to_json_value(value.__pydantic_extra__ or {})
    return members


def undeclared_row(row: JsonObject, *nested: object) -> str:
    """Return the undeclared properties of a row as JSON, by column name; empty if there are none.

    Args:
        row: The object.
        nested: The objects inside it that have columns, each with the prefix of its column names.
    """
    members = {column_name(name): value for name, value in undeclared(row).items()}
    for start, value in zip(nested[::2], nested[1::2], strict=True):
        if isinstance(value, JsonObject):
            members |= {f"{start}{column_name(name)}": item for name, item in undeclared(value).items()}
    return json_text(members) if members else ""


def column_name(name: str) -> str:
    """Return a property's part of a column's name, in quotes if it contains a dot that could separate two parts."""
    return json_text(name) if "." in name or name.startswith('"') or name in ("", "…") else name


def line_name(name: str) -> str:
    """Return a property's name for the start of a line, in quotes unless it consists of words."""
    return name if _PLAIN_NAME.fullmatch(name) else json_text(name)


__all__ = [
    "column_name",
    "csv_text",
    "json_text",
    "line_name",
    "line_text",
    "markdown_text",
    "nullable_text",
    "tsv_text",
    "undeclared",
    "undeclared_row",
    "value_text",
]
