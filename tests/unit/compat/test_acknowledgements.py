"""Acknowledgements cover changes by rule, subject and pointer."""

from __future__ import annotations

import tomllib
from dataclasses import replace

from mcpgen.compat.acknowledgements import covers_change, format_acknowledgement, match_acknowledgements
from mcpgen.compat.change import Change
from mcpgen.compat.registry import RULES
from mcpgen.config.models import Acknowledged
from mcpgen.diagnostics import Span


def acknowledge(rule: str, **subject: str) -> Acknowledged:
    return Acknowledged.model_validate({"rule": rule, "reason": "agreed", **subject})


def make_change(rule: str, subject: str, pointer: str = "", file_pointer: str = "") -> Change:
    return Change(RULES[rule], subject, subject, "is gone", Span("tools.json", pointer=file_pointer), pointer=pointer)


REMOVED = make_change("tool-removed", 'tool "a"')
RENAMED = make_change("tool-renamed", 'tool "b"', "/name")


def test_an_acknowledgement_without_a_subject_covers_every_change_of_its_rule() -> None:
    entry = acknowledge("tool-removed")
    assert covers_change(entry, REMOVED)
    assert covers_change(entry, make_change("tool-removed", 'tool "z"'))
    assert not covers_change(entry, RENAMED)


def test_subject_and_pointer_narrow_an_acknowledgement() -> None:
    assert covers_change(acknowledge("tool-renamed", tool="b", pointer="/name"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", tool="c"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", resource="b"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", pointer="/title"), RENAMED)


def test_a_pointer_may_lead_into_the_definition_or_into_the_file() -> None:
    change = make_change("output-property-became-optional", 'tool "b"', "/outputSchema/$defs/A", "/$defs/A")
    for pointer in ("/outputSchema/$defs/A", "/$defs/A"):
        assert covers_change(acknowledge("output-property-became-optional", pointer=pointer), change)
    assert not covers_change(acknowledge("output-property-became-optional", pointer="/$defs"), change)


def test_what_an_acknowledgement_says_covers_its_change() -> None:
    shared = replace(make_change("tool-removed", 'tool "b"', "/a", "/$defs/a"), name="b", others=('tool "c"',))
    for change in (replace(REMOVED, name="a"), replace(RENAMED, name="b"), shared):
        entry = tomllib.loads(format_acknowledgement(change).replace(", ", "\n"))
        assert covers_change(acknowledge(**entry), change)
    assert format_acknowledgement(shared) == 'rule = "tool-removed", pointer = "/$defs/a"'


def test_remaining_changes_covered_ones_and_unused_acknowledgements() -> None:
    entries = [
        acknowledge("tool-removed"),
        acknowledge("tool-removed", tool="a"),
        acknowledge("tool-task-required"),
    ]
    assert match_acknowledgements([REMOVED, RENAMED], entries) == ([RENAMED], [REMOVED], [2])
