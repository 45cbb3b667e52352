"""Diagnostics as SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from urllib.parse import quote

from mcpgen import __version__
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Span
from mcpgen.explanations import read_explanation
from mcpgen.paths import format_repository_path
from mcpgen.report.renderer import CommandRun
from mcpgen.report.visible import escape_json
from mcpgen.schema.values import Json

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
