"""Diagnostics as text, with the source line and a caret."""

from __future__ import annotations

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.report.renderer import CommandRun
from mcpgen.report.text import MAX_WIDTH, render_text

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
