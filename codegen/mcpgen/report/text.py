"""Diagnostics as text: `file:line:col: error[CODE]: message`, the source line, a caret, a help line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from mcpgen.diagnostics import Diagnostic

WIDEST = 120


def diagnostics(items: Iterable[Diagnostic]) -> str:
    """The text of several diagnostics, one after the other."""
    return "".join(_one(item) for item in items)


def _one(item: Diagnostic) -> str:
    span = item.span
    place = ""
    if span is not None and span.file:
        place = span.file + (f":{span.line}:{span.column}" if span.line else "") + ": "
    lines = [f"{place}{item.severity}[{item.code}]: {item.message}"]
    if span is not None and span.text.strip():
        shown, column = _window(span.text, span.column)
        lines.append(f"    {shown}")
        lines.append("    " + " " * _width(shown[: column - 1]) + "^")
    if item.help:
        lines.append(f"  help: {item.help}")
    return "\n".join(printable(line) for line in lines) + "\n"


def _window(text: str, column: int) -> tuple[str, int]:
    """A part of a long line around a column, and the column in it."""
    text = text.replace("\t", " ")
    if len(text) <= WIDEST:
        return text, column
    start = max(0, min(column - 1 - WIDEST // 3, len(text) - WIDEST))
    return text[start : start + WIDEST], column - start


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def printable(text: str) -> str:
    """A line with what would move the cursor or break the line made visible."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
