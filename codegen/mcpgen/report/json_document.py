"""A run as one JSON document, whose shape docs/formats.md describes."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mcpgen.diagnostics import Diagnostic
from mcpgen.report.visible import escape_json
from mcpgen.schema.values import Json

DOCUMENT_VERSION = 1
"""Of the shape; a member that is new does not change it."""


def render_json(command: str, items: Iterable[Diagnostic], exit_code: int, data: Json) -> str:
    """The text of the document."""
    held: Json = {
        "version": DOCUMENT_VERSION,
        "command": command,
        "exit_code": exit_code,
        "diagnostics": [_build_diagnostic_json(item) for item in items],
        "data": data,
    }
    return escape_json(json.dumps(held, indent=2, ensure_ascii=False)) + "\n"


def _build_diagnostic_json(item: Diagnostic) -> Json:
    span = item.span
    return {
        "code": item.code,
        "severity": str(item.severity),
        "message": item.message,
        "help": item.help or None,
        "file": span.file or None if span else None,
        "line": span.line or None if span else None,
        "column": span.column or None if span else None,
        "pointer": span.pointer if span and span.line else None,
    }
