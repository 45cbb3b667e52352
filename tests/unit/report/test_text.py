"""Findings as text, and where output goes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.diagnostics import Diagnostic, Findings, Severity, Span
from mcpgen.report.documents import render_github, render_json, render_sarif
from mcpgen.report.output import ColorMode, CommandOutput, OutputFormat
from mcpgen.report.text import MAX_WIDTH, CommandRun, Renderer, render_text

# --- diagnostics as text, with the source line and a caret ------------------------------------------------------------
RUN = CommandRun("build")


def test_the_caret_is_below_the_column() -> None:
    span = Span("a.json", 3, 9, "#/x", '  "type": 7')
    assert render_text([Diagnostic("MG101", "wrong", span, "fix it")], RUN) == (
        'a.json:3:9: error[MG101]: wrong\n      "type": 7\n            ^\n  help: fix it\n'
    )


def test_wide_characters_take_two_cells() -> None:
    text = render_text([Diagnostic("MG101", "wrong", Span("a.json", 1, 3, "", "猫猫x"))], RUN)
    _, line, caret = text.splitlines()
    assert (line, caret) == ("    猫猫x", "        ^")


def test_a_long_line_is_cut_around_its_column() -> None:
    source = "a" * 300 + "b" + "c" * 300
    text = render_text([Diagnostic("MG101", "wrong", Span("a.json", 1, 301, "", source))], RUN)
    _, line, caret = text.splitlines()
    assert len(line) == 4 + MAX_WIDTH
    assert line[caret.index("^")] == "b"


def test_places_and_severities_may_be_missing_or_others() -> None:
    diagnostics = [
        Diagnostic("MG105", "odd", Span("a.json"), severity=Severity.WARNING),
        Diagnostic("MG107", "noted", severity=Severity.NOTE),
    ]
    assert render_text(diagnostics, RUN) == "a.json: warning[MG105]: odd\nnote[MG107]: noted\n"
    assert render_text([], RUN) == ""


# --- all formats are rendered through one interface -------------------------------------------------------------------
RENDERERS: list[Renderer] = [render_text, render_github, render_json, render_sarif]


@pytest.mark.parametrize("render", RENDERERS)
def test_a_renderer_ends_its_last_line(render: Renderer) -> None:
    text = render([Diagnostic("MG101", "a rare message")], CommandRun("check", 2))
    assert "a rare message" in text
    assert text.endswith("\n")


@pytest.mark.parametrize("render", RENDERERS)
def test_data_is_made_only_for_a_format_that_shows_it(render: Renderer) -> None:
    calls: list[int] = []
    render([], CommandRun("check", make_data=lambda: calls.append(1)))
    assert len(calls) == (render is render_json)


# --- streams of a command's output ------------------------------------------------------------------------------------
def _findings() -> Findings:
    findings = Findings()
    findings.error("MG101", "wrong")
    findings.warn("MG105", "odd")
    return findings


def _write(output: CommandOutput) -> None:
    output.print_data(["data"])
    output.print_remark("remark")
    assert output.finish(_findings(), 2, lambda: {"a": 1}) == 2


@pytest.mark.parametrize(
    ("format", "in_stdout", "in_stderr"),
    [
        ("text", ["data"], ["remark", "error[MG101]", "warning[MG105]"]),
        ("github", ["data", "::error ", "::warning "], ["remark"]),
        ("json", ["MG101", "MG105"], []),
        ("sarif", ["MG101", "MG105"], []),
    ],
)
def test_each_part_goes_to_its_stream(
    format: OutputFormat, in_stdout: list[str], in_stderr: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _write(CommandOutput("check", format, "never"))
    out, err = capsys.readouterr()
    assert all(part in out for part in in_stdout)
    assert all(part in err for part in in_stderr)
    assert bool(err) == bool(in_stderr)
    if format in ("json", "sarif"):
        document: Any = json.loads(out)
        assert format == "sarif" or document["data"] == {"a": 1}


def test_quiet_leaves_data_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    _write(CommandOutput("check", "text", "never", quiet=True))
    assert capsys.readouterr() == ("data\n", "error[MG101]: wrong\n")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("mode", "environment", "terminal", "colored"),
    [
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
    ],
)
def test_the_option_decides_then_the_environment_then_the_terminal(
    mode: ColorMode, environment: dict[str, str], terminal: bool, colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = _Terminal() if terminal else io.StringIO()
    assert CommandOutput("check", "text", mode).is_colored(stream) == colored


def test_characters_that_a_stream_lacks_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, "ascii"))
    CommandOutput("show", "text", "never").print_data(["21 °C"])
    sys.stdout.flush()
    assert buffer.getvalue() == b"21 \\xb0C\n"


def test_a_quiet_command_keeps_the_summary_of_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    output = CommandOutput("check", "text", "never", quiet=True)
    output.print_summary("all is well", failed=False)
    output.print_summary("one is stale", failed=True)
    assert capsys.readouterr() == ("", "one is stale\n")


@pytest.mark.parametrize("format", ["text", "github"])
def test_one_log_of_both_streams_has_the_order_of_the_texts(format: OutputFormat, tmp_path: Path) -> None:
    """Python keeps what goes to a file in a buffer, which would put a diff behind its summary."""
    program = f"""
from mcpgen.diagnostics import Findings
from mcpgen.report.output import CommandOutput
output, findings = CommandOutput("check", "{format}", "never"), Findings()
findings.error("MG101", "wrong")
output.print_data(["the diff"])
output.finish(findings, 4)
output.print_summary("the summary", failed=True)
"""
    with (tmp_path / "log").open("wb") as log:
        subprocess.run([sys.executable, "-c", program], stdout=log, stderr=log, check=True, timeout=60)
    text = (tmp_path / "log").read_text("utf-8")
    assert text.index("the diff") < text.index("wrong") < text.index("the summary")
