"""Diagnostics as workflow commands of GitHub Actions, which become annotations of the lines that they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from mcpgen.diagnostics import Diagnostic, Severity
from mcpgen.paths import in_repository
from mcpgen.report.visible import visible, written

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def diagnostics(items: Iterable[Diagnostic]) -> str:
    """The commands, one a line."""
    return "".join(_one(item) for item in items)


def quoted(lines: Iterable[str]) -> str:
    """Lines in which the runner does not look for commands, since a schema may say `::error::` or `##[group]`, too."""
    text = written(lines)
    token = "mcpgen-" + hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def _one(item: Diagnostic) -> str:
    span = item.span
    properties: dict[str, str] = {}
    place = ""
    if span is not None and span.file:
        properties["file"] = place = in_repository(span.file)
        if span.line:
            properties |= {"line": str(span.line), "col": str(span.column)}
            place += f":{span.line}:{span.column}"
        place += ": "
    properties["title"] = f"mcpgen {item.code}"
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    # The place is said again, since the log shows nothing but the message.
    message = [f"{place}{item.message}"] + ([f"help: {item.help}"] if item.help else [])
    return f"::{_COMMANDS[item.severity]} {said}::{_data(written(message).removesuffix(chr(10)))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
