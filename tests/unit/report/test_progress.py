"""The progress bar."""

from __future__ import annotations

import sys

import pytest
from mcpgen.report import progress
from mcpgen.report.progress import ProgressBar


@pytest.mark.parametrize(
    ("quiet", "terminal", "visible"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_a_bar_appears_only_on_a_terminal(
    quiet: bool, terminal: bool, visible: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(progress, "BAR_DELAY", 0)
    with ProgressBar(quiet) as bar:
        bar.show("lowering", 1, 2)
        bar.show("lowering", 2, 2)
    assert ("lowering" in capsys.readouterr().err) == visible


def test_a_short_run_has_no_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ProgressBar(quiet=False) as bar:
        bar.show("lowering", 1, 2)
    assert capsys.readouterr().err == ""
