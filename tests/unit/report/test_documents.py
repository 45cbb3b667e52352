"""Findings for machines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Severity, Span
from mcpgen.report.documents import quote_lines, render_github, render_json, render_sarif
from mcpgen.report.text import CommandRun


# --- the JSON document of a run ---------------------------------------------------------------------------------------
def test_a_run_is_one_document() -> None:
    diagnostics = [
        Diagnostic("MG101", "wrong", Span("a.json", 3, 7, "#/x"), "help"),
        Diagnostic("MG105", "odd", Span("b.json"), severity=Severity.WARNING),
    ]
    assert json.loads(render_json(diagnostics, CommandRun("build", 2, lambda: {"packages": []}))) == {
        "version": 1,
        "command": "build",
        "exit_code": 2,
        "diagnostics": [
            {
                "code": "MG101",
                "severity": "error",
                "message": "wrong",
                "help": "help",
                "file": "a.json",
                "server": None,
                "line": 3,
                "column": 7,
                "pointer": "#/x",
            },
            {
                "code": "MG105",
                "severity": "warning",
                "message": "odd",
                "help": None,
                "file": "b.json",
                "server": None,
                "line": None,
                "column": None,
                "pointer": None,
            },
        ],
        "data": {"packages": []},
    }


def test_a_command_without_data_has_null() -> None:
    assert json.loads(render_json([], CommandRun("build")))["data"] is None


def test_a_server_is_no_file() -> None:
    diagnostic = Diagnostic("MG704", "it is down", Span.of_server("shop:server"))
    (written,) = json.loads(render_json([diagnostic], CommandRun("check")))["diagnostics"]
    assert (written["file"], written["server"]) == (None, "shop:server")


# --- SARIF logs -------------------------------------------------------------------------------------------------------
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
    ("file", "uri"), [("a b.json", "a%20b.json"), ("/a/b.json", "file:///a/b.json"), ("C:/a.json", "file:///C:/a.json")]
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


# --- workflow commands of GitHub Actions ------------------------------------------------------------------------------
def test_a_diagnostic_is_an_annotation_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    diagnostics = [
        Diagnostic("MG101", "50 % wrong", Span("a,b.json", 3, 7), "do\nthis"),
        Diagnostic("MG107", "noted", None, severity=Severity.NOTE),
    ]
    assert render_github(diagnostics, CommandRun("check")) == (
        "::error file=a%2Cb.json,line=3,col=7,title=mcpgen MG101::a,b.json:3:7: 50 %25 wrong%0Ahelp: do\\nthis\n"
        "::notice title=mcpgen MG107::noted\n"
    )


def test_quoted_lines_stop_the_runner_until_their_end() -> None:
    start, line, end = quote_lines(["::error::a"]).splitlines()
    token = start.removeprefix("::stop-commands::")
    assert end == f"::{token}::"
    assert not line.startswith("::")
    assert quote_lines(["b"]).splitlines()[0] != start, "the token depends on the lines, so they cannot contain it"


def test_an_annotation_of_a_server_has_no_file() -> None:
    """GitHub would show an annotation of a file that does not exist at the first line of another one."""
    diagnostic = Diagnostic("MG704", "it is down", Span.of_server("shop:server"))
    assert render_github([diagnostic], CommandRun("check")) == "::error title=mcpgen MG704::shop:server: it is down\n"
