"""The progress bar."""

from __future__ import annotations

import sys

import pytest
from mcpgen.commands.watch import WatchScreen
from mcpgen.report import output
from mcpgen.report.output import CommandOutput, ProgressBar


@pytest.mark.parametrize(
    ("quiet", "terminal", "visible"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_a_bar_appears_only_on_a_terminal(
    quiet: bool, terminal: bool, visible: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(output, "BAR_DELAY", 0)
    with ProgressBar(quiet) as bar:
        bar.show("lowering", 1, 2)
        bar.show("lowering", 2, 2)
    assert ("lowering" in capsys.readouterr().err) == visible


def test_a_short_run_has_no_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ProgressBar(quiet=False) as bar:
        bar.show("lowering", 1, 2)
    assert capsys.readouterr().err == ""


def test_the_bar_names_what_is_worked_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(output, "BAR_DELAY", 0)
    monkeypatch.setenv("COLUMNS", "160")
    with ProgressBar(quiet=False, colored=False) as bar:
        bar.show("lowering", 1, 3, "get_weather")
        bar.show("rendering", 1, 3, "tools/" + "long/" * 20 + "get_\x1b[31mtides.py")
    text = capsys.readouterr().err
    assert "1/3 get_weather" in text
    assert "…" in text
    assert "tides.py" in text
    assert "\x1b[31m" not in text


def test_finished_steps_are_details(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    with ProgressBar(False, lines.append) as bar:
        bar.show("reading", 0, 1, "schemas")
        bar.show("lowering", 1, 2, "a")
        bar.show("lowering", 2, 2, "b")
    assert [line.partition(" in ")[0] for line in lines] == ["lowering: 2"]
    assert capsys.readouterr().err == ""


# --- the screen of `watch`: a terminal shows the last build alone, anything else shows all of them --------------------
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
