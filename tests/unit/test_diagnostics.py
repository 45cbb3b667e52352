"""Diagnostics of a run: severities, order, and codes of the catalogue."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import Diagnostic, Findings, Severity, Span


def test_only_errors_make_a_run_fail() -> None:
    findings = Findings()
    findings.warn("MG105", "a")
    findings.note("MG107", "b")
    assert not findings.failed
    findings.error("MG101", "c", Span("a.json"), "help")
    assert findings.failed
    assert [item.severity for item in findings] == [Severity.WARNING, Severity.NOTE, Severity.ERROR]


def test_diagnostics_are_sorted_by_place_and_listed_once() -> None:
    findings = Findings()
    findings.error("MG102", "late", Span("b.json", 1, 1))
    findings.error("MG102", "second", Span("a.json", 2, 1))
    findings.error("MG101", "first", Span("a.json", 2, 1))
    findings.error("MG101", "top", Span("a.json", 1, 9))
    findings.error("MG007", "nowhere")
    others = Findings()
    others.extend([*findings, *findings])
    assert len(others) == 10
    assert [item.message for item in others.sorted()] == ["nowhere", "top", "first", "second", "late"]


def test_a_code_has_to_be_in_the_catalogue() -> None:
    with pytest.raises(KeyError, match="MG999"):
        Findings().add(Diagnostic("MG999", "made up"))
