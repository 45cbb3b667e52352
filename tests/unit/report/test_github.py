"""Workflow commands of GitHub Actions."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.report.github import quote_lines, render_github
from mcpgen.report.renderer import CommandRun


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


def test_a_server_is_no_file() -> None:
    """GitHub would show an annotation of a file that does not exist at the first line of another one."""
    diagnostic = Diagnostic("MG704", "it is down", Span.of_server("shop:server"))
    assert render_github([diagnostic], CommandRun("check")) == "::error title=mcpgen MG704::shop:server: it is down\n"
