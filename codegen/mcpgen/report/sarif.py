"""Diagnostics as SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import quote

from mcpgen import __version__
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Span
from mcpgen.explanations import read_explanation
from mcpgen.paths import format_repository_path
from mcpgen.report.visible import escape_json
from mcpgen.schema.values import Json

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(items: Iterable[Diagnostic], exit_code: int) -> str:
    """The text of a log with one run."""
    held = list(items)
    codes = sorted({item.code for item in held})
    driver: Json = {"name": "mcpgen", "version": __version__, "rules": [_make_rule(code) for code in codes]}
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": exit_code}],
        "results": [_make_result(item, codes.index(item.code)) for item in held],
    }
    text = json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)
    return escape_json(text) + "\n"


def _make_rule(code: str) -> Json:
    summary: Json = {"text": CATALOGUE[code]}
    text = read_explanation(code)
    help: Json = {"text": text.partition("\n\n## ")[0], "markdown": text}
    return {"id": code, "shortDescription": summary, "help": help}


def _make_result(item: Diagnostic, rule: int) -> Json:
    message = item.message + (f"\nhelp: {item.help}" if item.help else "")
    result: dict[str, Json] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": str(item.severity),
        "message": {"text": message},
    }
    if item.span is not None and item.span.file:
        result["locations"] = [_make_location(item.span)]
    return result


def _make_location(span: Span) -> Json:
    physical: dict[str, Json] = {"artifactLocation": {"uri": _make_uri(span.file)}}
    location: dict[str, Json] = {"physicalLocation": physical}
    if span.line:
        region: dict[str, Json] = {"startLine": span.line, "startColumn": max(span.column, 1)}
        if span.text.strip():
            region["snippet"] = {"text": span.text}
        physical["region"] = region
        if span.pointer:
            location["logicalLocations"] = [{"fullyQualifiedName": span.pointer, "kind": "member"}]
    return location


def _make_uri(file: str) -> str:
    """A relative reference, or a file URI for what lies elsewhere; a colon could be taken for a scheme's."""
    path = format_repository_path(file)
    if path.startswith("/"):
        return "file://" + quote(path)
    return quote(path) if len(path) < 2 or path[1] != ":" else "file:///" + quote(path, safe="/:")
