"""Diagnostics as workflow commands of GitHub Actions, which GitHub shows as annotations of source lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from mcpgen.diagnostics import Diagnostic, Severity
from mcpgen.paths import format_repository_path
from mcpgen.report.renderer import CommandRun
from mcpgen.report.visible import escape_line, format_lines

_SEVERITY_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(diagnostics: Sequence[Diagnostic], run: CommandRun) -> str:
    """Render each diagnostic as one workflow command on a line."""
    return "".join(_render_command(diagnostic) for diagnostic in diagnostics)


def quote_lines(lines: Iterable[str]) -> str:
    """Return lines in which the runner ignores workflow commands, since a schema may contain `::error::`, too."""
    text = format_lines(lines)
    token = "mcpgen-" + hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def _render_command(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    properties: dict[str, str] = {}
    place = ""
    if span is not None and span.file and not span.is_current:
        place = f"{span.format_place()}: "  # an annotation may only name files of the working tree
    elif span is not None and span.file:
        properties["file"] = place = format_repository_path(span.file)
        if span.line:
            properties |= {"line": str(span.line), "col": str(span.column)}
            place += f":{span.line}:{span.column}"
        place += ": "
    properties["title"] = f"mcpgen {diagnostic.code}"
    joined = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    # The message repeats the place, since GitHub's log shows only the message.
    lines = [f"{place}{diagnostic.message}"] + ([f"help: {diagnostic.help}"] if diagnostic.help else [])
    message = _escape_data(format_lines(lines).removesuffix("\n"))
    return f"::{_SEVERITY_COMMANDS[diagnostic.severity]} {joined}::{message}\n"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(escape_line(text)).replace(":", "%3A").replace(",", "%2C")
