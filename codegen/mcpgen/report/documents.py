"""Diagnostics as documents for programs: JSON, workflow commands of GitHub Actions, and SARIF 2.1.0."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from mcpgen import __version__
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Severity, Span
from mcpgen.explanations import read_explanation
from mcpgen.paths import format_repository_path
from mcpgen.report.text import CommandRun
from mcpgen.report.visible import escape_json, escape_line, format_lines
from mcpgen.schema.values import Json

DOCUMENT_VERSION = 1
"""Version of the document's shape; a new member does not change it, nor does anything before the first release."""


def render_json(diagnostics: Sequence[Diagnostic], run: CommandRun) -> str:
    """Render the document of a run."""
    document: Json = {
        "version": DOCUMENT_VERSION,
        "command": run.command,
        "exit_code": run.exit_code,
        "diagnostics": [_build_diagnostic_json(diagnostic) for diagnostic in diagnostics],
        "data": run.make_data(),
    }
    return escape_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _build_diagnostic_json(diagnostic: Diagnostic) -> Json:
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "help": diagnostic.help or None,
        "file": _name_file(span),
        "server": None if span is None or span.is_file else span.file,
        "line": span.line or None if span else None,
        "column": span.column or None if span else None,
        "pointer": span.pointer if span and span.line else None,
    }


def _name_file(span: Span | None) -> str | None:
    if span is None or not span.file or not span.is_file:
        return None
    return f"{span.revision}:{span.file}" if span.revision else span.file


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


SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(diagnostics: Sequence[Diagnostic], run: CommandRun) -> str:
    """Render a log with one run, whose rules are the codes that occur in it."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    driver: Json = {"name": "mcpgen", "version": __version__, "rules": [_make_rule(code) for code in codes]}
    sarif_run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": run.exit_code}],
        "results": [_make_result(diagnostic, codes.index(diagnostic.code)) for diagnostic in diagnostics],
    }
    log: Json = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [sarif_run]}
    return escape_json(json.dumps(log, indent=2, ensure_ascii=False)) + "\n"


def _make_rule(code: str) -> Json:
    summary: Json = {"text": CATALOGUE[code]}
    text = read_explanation(code)
    help: Json = {"text": text.partition("\n\n## ")[0], "markdown": text}
    return {"id": code, "shortDescription": summary, "help": help}


def _make_result(diagnostic: Diagnostic, rule_index: int) -> Json:
    span = diagnostic.span
    place = f"{span.format_place()}: " if span is not None and not span.is_current else ""
    message = f"{place}{diagnostic.message}" + (f"\nhelp: {diagnostic.help}" if diagnostic.help else "")
    result: dict[str, Json] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": str(diagnostic.severity),
        "message": {"text": message},
    }
    if span is not None and span.file and span.is_file:
        result["locations"] = [_make_location(span)]
    return result


def _make_location(span: Span) -> Json:
    physical: dict[str, Json] = {"artifactLocation": {"uri": _make_uri(span.file)}}
    location: dict[str, Json] = {"physicalLocation": physical}
    if span.line and span.is_current:
        region: dict[str, Json] = {"startLine": span.line, "startColumn": max(span.column, 1)}
        if span.text.strip():
            region["snippet"] = {"text": span.text}
        physical["region"] = region
        if span.pointer:
            location["logicalLocations"] = [{"fullyQualifiedName": span.pointer, "kind": "member"}]
    return location


def _make_uri(file: str) -> str:
    """Return a relative reference, or a `file:` URI for an absolute path; a Windows drive is not taken for a scheme."""
    path = format_repository_path(file)
    data = os.fsencode(path)  # a file's name need not be UTF-8
    if path.startswith("/"):
        return "file://" + quote(data)
    return quote(data) if len(path) < 2 or path[1] != ":" else "file:///" + quote(data, safe="/:")
