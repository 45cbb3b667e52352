"""The screen of `watch`: a terminal shows the last build alone, anything else shows all of them."""

from __future__ import annotations

import sys

import pytest
from mcpgen.report.output import CommandOutput
from mcpgen.report.watch_screen import WatchScreen


def show_two_builds(output: CommandOutput) -> None:
    screen = WatchScreen(output)
    for number, exit_code in enumerate((0, 2), 1):
        screen.begin_build()
        sys.stderr.write(f"build {number}\n")
        screen.end_build(exit_code, "schemas")


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")


def test_a_terminal_shows_the_last_build_with_its_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch)
    show_two_builds(CommandOutput("watch"))
    last_screen = capsys.readouterr().err.rpartition("\x1b[H")[2]
    assert "build 1" not in last_screen
    assert "build 2" in last_screen
    assert "not built at " in last_screen
    assert "watching schemas; Ctrl-C ends it" in last_screen


@pytest.mark.parametrize(
    "output", [CommandOutput("watch", quiet=True), CommandOutput("watch", "json"), CommandOutput("watch", "github")]
)
def test_nothing_is_added_where_it_was_not_asked_for(output: CommandOutput, capsys: pytest.CaptureFixture[str]) -> None:
    show_two_builds(output)
    assert capsys.readouterr().err == "build 1\nbuild 2\n"


def test_a_log_keeps_all_builds(capsys: pytest.CaptureFixture[str]) -> None:
    show_two_builds(CommandOutput("watch"))
    assert capsys.readouterr().err == "build 1\nbuild 2\n"
