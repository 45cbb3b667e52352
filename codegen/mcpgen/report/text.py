"""Diagnostics as text: `file:line:col: error[CODE]: message`, the source line, a caret, the pointer, a help line."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import typer

from mcpgen.diagnostics import Diagnostic, Severity
from mcpgen.report.visible import escape_line, format_lines
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class CommandRun:
    """Facts about a command's run that a renderer may add to the diagnostics."""

    command: str
    exit_code: int = 0
    make_data: Callable[[], Json] = lambda: None
    """Makes the command's data; called only by formats that have a place for it."""
    colored: bool = False


Renderer: TypeAlias = Callable[[Sequence[Diagnostic], CommandRun], str]
"""Renders diagnostics in one format, with a final line break unless the text is empty."""
MAX_WIDTH = 120
"""Characters of a source line that are shown."""
_SEVERITY_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render_text(diagnostics: Sequence[Diagnostic], run: CommandRun) -> str:
    """Render the diagnostics one after the other, with a terminal's colors if the run is colored."""
    return "".join(_render_diagnostic(diagnostic, run.colored) for diagnostic in diagnostics)


def _render_diagnostic(diagnostic: Diagnostic, colored: bool) -> str:
    span = diagnostic.span
    place = f"{span.format_place()}: " if span is not None and span.file else ""
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    lines = [f"{place}{label}: {diagnostic.message}"]
    if span is not None and span.text.strip():
        window, column = _cut_window(span.text, span.column - span.start + 1)
        lines.append(f"    {window}")
        before = escape_line(f"    {window}"[: column + 3])
        lines.append(" " * sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in before) + "^")
    if span is not None and span.pointer.startswith("/"):
        lines.append(f"  at: {_shorten(span.pointer)}")
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    text = format_lines(lines)
    if not colored:
        return text
    colored_label = typer.style(label, fg=_SEVERITY_COLORS[diagnostic.severity], bold=True)
    return typer.style(escape_line(place), bold=True) + colored_label + text[len(escape_line(f"{place}{label}")) :]


def _cut_window(text: str, column: int) -> tuple[str, int]:
    text = text.replace("\t", " ")
    if len(text) <= MAX_WIDTH:
        return text, column
    start = max(0, min(column - 1 - MAX_WIDTH // 3, len(text) - MAX_WIDTH))
    return text[start : start + MAX_WIDTH], column - start


def _shorten(pointer: str) -> str:
    half = MAX_WIDTH // 2
    return pointer if len(pointer) <= MAX_WIDTH else f"{pointer[:half]}…{pointer[-half:]}"


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless the count is 1."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def format_next(*words: str) -> list[str]:
    """Return the lines that end a command: the last one is a command to copy."""
    return ["next:", f"  {shlex.join(words)}"]


def format_table(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> list[str]:
    """Return the lines of a table whose columns are aligned: those of numbers to the right, the others to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [">" if column in numbers else "<" for column in range(len(widths))]
    cells = [[f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in cells]
