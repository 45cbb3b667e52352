"""Changes as diagnostics."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.compat.change import UNDECIDED_CODE, Change, make_change
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import RuleMatch
from mcpgen.diagnostics import Diagnostic, Severity, Span

SPAN = Span("tools.json", 3, 5)


def test_a_change_takes_severity_and_code_from_its_rule() -> None:
    match = RuleMatch("may reach the web", "/annotations", "keep it")
    change = make_change(RULES["tool-became-open-world"], 'tool "a"', "a", match, SPAN)
    assert (change.severity, change.code, change.pointer) == (Severity.WARNING, "MG806", "/annotations")
    assert not change.breaking
    assert not change.undecided


def test_the_diagnostic_names_subject_and_rule() -> None:
    change = Change(RULES["tool-removed"], 'tool "a"', "a", "is gone", SPAN, "keep it", code="MG803")
    assert change.breaking
    expected = Diagnostic("MG803", 'tool "a": is gone (tool-removed)', SPAN, "keep it", Severity.ERROR)
    assert change.to_diagnostic() == expected


def test_an_undecided_change_is_known_by_its_code() -> None:
    change = Change(RULES["input-not-followed"], 'tool "a"', "a", "", SPAN, severity=Severity.WARNING)
    assert not change.undecided
    assert replace(change, code=UNDECIDED_CODE).undecided
