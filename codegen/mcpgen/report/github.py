"""Diagnostics as workflow commands of GitHub Actions, which become annotations of the lines that they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from mcpgen.diagnostics import Diagnostic, Severity
from mcpgen.paths import format_repository_path
from mcpgen.report.visible import escape_line, format_lines

_SEVERITY_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(items: Iterable[Diagnostic]) -> str:
    """The commands, one a line."""
    return "".join(_render_command(item) for item in items)


def quote_lines(lines: Iterable[str]) -> str:
    """Lines in which the runner does not look for commands, since a schema may say `::error::` or `##[group]`, too."""
    text = format_lines(lines)
    token = "mcpgen-" + hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def _render_command(item: Diagnostic) -> str:
    span = item.span
    properties: dict[str, str] = {}
    place = ""
    if span is not None and span.file:
        properties["file"] = place = format_repository_path(span.file)
        if span.line:
            properties |= {"line": str(span.line), "col": str(span.column)}
            place += f":{span.line}:{span.column}"
        place += ": "
    properties["title"] = f"mcpgen {item.code}"
    said = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    # The place is said again, since the log shows nothing but the message.
    message = [f"{place}{item.message}"] + ([f"help: {item.help}"] if item.help else [])
    return (
        f"::{_SEVERITY_COMMANDS[item.severity]} {said}::{_escape_data(format_lines(message).removesuffix(chr(10)))}\n"
    )


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(escape_line(text)).replace(":", "%3A").replace(",", "%2C")
