"""Diagnostics as text: `file:line:col: error[CODE]: message`, the source line, a caret, a help line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import typer

from mcpgen.diagnostics import Diagnostic, Severity
from mcpgen.report.visible import escape_line, format_lines

MAX_WIDTH = 120
_SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render_text(items: Iterable[Diagnostic], colour: bool = False) -> str:
    """The text of several diagnostics, one after the other, with a terminal's colours if asked for."""
    return "".join(_render_diagnostic(item, colour) for item in items)


def _render_diagnostic(item: Diagnostic, colour: bool) -> str:
    span = item.span
    place = ""
    if span is not None and span.file:
        place = span.file + (f":{span.line}:{span.column}" if span.line else "") + ": "
    kind = f"{item.severity}[{item.code}]"
    lines = [f"{place}{kind}: {item.message}"]
    if span is not None and span.text.strip():
        shown, column = _cut_window(span.text, span.column - span.start + 1)
        lines.append(f"    {shown}")
        lines.append("    " + " " * _measure_width(escape_line(f"    {shown}"[: column + 3])[4:]) + "^")
    if item.help:
        lines.append(f"  help: {item.help}")
    said = format_lines(lines)
    if not colour:
        return said
    painted = typer.style(escape_line(place), bold=True) + typer.style(
        kind, fg=_SEVERITY_COLOURS[item.severity], bold=True
    )
    return painted + said[len(escape_line(f"{place}{kind}")) :]


def _cut_window(text: str, column: int) -> tuple[str, int]:
    """A part of a long line around a column, and the column in it."""
    text = text.replace("\t", " ")
    if len(text) <= MAX_WIDTH:
        return text, column
    start = max(0, min(column - 1 - MAX_WIDTH // 3, len(text) - MAX_WIDTH))
    return text[start : start + MAX_WIDTH], column - start


def _measure_width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
