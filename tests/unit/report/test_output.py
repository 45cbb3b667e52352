"""Streams of a command's output."""

from __future__ import annotations

import io
import json
import sys
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
