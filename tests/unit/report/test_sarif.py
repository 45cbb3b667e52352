"""SARIF logs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Severity, Span
from mcpgen.report.renderer import CommandRun
from mcpgen.report.sarif import render_sarif


def _render(*diagnostics: Diagnostic) -> Any:
    (run,) = json.loads(render_sarif(diagnostics, CommandRun("check", 4)))["runs"]
    return run


def test_each_code_is_a_rule_once() -> None:
    run = _render(*(Diagnostic(code, "a") for code in ("MG105", "MG101", "MG105")))
    rules = run["tool"]["driver"]["rules"]
    assert [(rule["id"], rule["shortDescription"]["text"]) for rule in rules] == [
        ("MG101", CATALOGUE["MG101"]),
        ("MG105", CATALOGUE["MG105"]),
    ]
    assert [result["ruleIndex"] for result in run["results"]] == [1, 0, 1]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 4}]


@pytest.mark.parametrize(
    ("file", "uri"),
    [("a b.json", "a%20b.json"), ("/a/b.json", "file:///a/b.json"), ("C:/a.json", "file:///C:/a.json")],
)
def test_files_are_uris(file: str, uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (result,) = _render(Diagnostic("MG101", "a", Span(file, 2, 5, "#/x", "  text"), "b", Severity.NOTE))["results"]
    assert (result["level"], result["message"]["text"]) == ("note", "a\nhelp: b")
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == uri
    region = location["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 5, "snippet": {"text": "  text"}}
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "#/x"


def test_a_server_is_no_artifact() -> None:
    (result,) = _render(Diagnostic("MG704", "it is down", Span.of_server("shop:server")))["results"]
    assert "locations" not in result
    assert result["message"]["text"] == "shop:server: it is down"
