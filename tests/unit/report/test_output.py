"""Streams of a command's output."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.report.output import ColorMode, CommandOutput, OutputFormat


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
