"""Diagnostics and a command's data as one JSON document, whose shape docs/reference/formats.md describes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcpgen.diagnostics import Diagnostic, Span
from mcpgen.report.renderer import CommandRun
from mcpgen.report.visible import escape_json
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
    """Return the path of a file; of one in a git revision, the name that git knows it by, such as `HEAD:a.json`."""
    if span is None or not span.file or not span.is_file:
        return None
    return f"{span.revision}:{span.file}" if span.revision else span.file
