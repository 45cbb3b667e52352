"""Changes as diagnostics."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.compat.change import UNDECIDED_CODE, Change, make_change, merge_shared
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
    assert replace(change, text="is it?", code=UNDECIDED_CODE).message == "undecided: is it?"


def make_gap_change(name: str, path: str, line: int = 3, text: str = "may now be null") -> Change:
    rule = RULES["output-became-nullable"]
    return Change(rule, f'tool "{name}"', name, text, Span("common.json", line, 5), code=rule.code, paths=(path,))


def test_what_several_definitions_share_is_one_change() -> None:
    changes = [
        make_gap_change("a", "result.x"),
        make_gap_change("a", "result.y", line=4),
        make_gap_change("b", "result.x"),
        make_gap_change("c", "result.z"),
        make_gap_change("c", "result.z", text="may now be an object"),
    ]
    merged = merge_shared(changes)
    assert [(change.subjects, change.message, change.span.line) for change in merged] == [
        (('tool "a"',), "result.y: may now be null", 4),
        (('tool "a"', 'tool "b"', 'tool "c"'), "result.x and result.z: may now be null", 3),
        (('tool "c"',), "result.z: may now be an object", 3),
    ]
    message = 'tool "a", tool "b", tool "c": result.x and result.z: may now be null (output-became-nullable)'
    assert merged[1].to_diagnostic().message == message


def test_one_definition_has_each_change_of_its_own() -> None:
    changes = [make_gap_change("a", "result.x"), make_gap_change("b", "result.x", line=9)]
    assert merge_shared(changes) == changes
    gone = [replace(change, span=Span.of_server("weather")) for change in changes]
    assert merge_shared(gone) == gone
