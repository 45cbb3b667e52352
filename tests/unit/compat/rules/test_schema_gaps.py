"""The table of gaps: a rule in each direction for every kind."""

from __future__ import annotations

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.rule import Category
from mcpgen.compat.rules.schema_gaps import GAP_ROWS, INPUT_GAP_RULES, OUTPUT_GAP_RULES, find_gap_rule
from mcpgen.diagnostics import Severity


@pytest.mark.parametrize("kind", GapKind)
def test_the_last_row_of_each_kind_applies_to_all_its_gaps(kind: GapKind) -> None:
    *conditional, last = [row for row in GAP_ROWS if row.kind is kind]
    gap = Gap(kind, (), "", "", "a keyword of no rule", values=("an", "unlikely", "value"))
    assert last.applies(gap)
    assert not any(row.applies(gap) for row in conditional)


def test_ids_tell_the_direction() -> None:
    assert len(OUTPUT_GAP_RULES) == len(INPUT_GAP_RULES) == len(GAP_ROWS)
    assert all(rule.id.startswith("output-") and rule.category is Category.OUTPUT for rule in OUTPUT_GAP_RULES)
    assert all(rule.id.startswith("input-") and rule.category is Category.INPUT for rule in INPUT_GAP_RULES)


@pytest.mark.parametrize(
    ("gap", "output", "input"),
    [
        (
            Gap(GapKind.TYPE, (), "", "", "type", values=("null",), kinds=(("null", "string"), ("string",))),
            ("output-became-nullable", "may now be null"),
            ("input-null-refused", "null is no longer accepted"),
        ),
        (
            Gap(GapKind.TYPE, (), "", "", "type", values=("null",), kinds=(("null",), ("string",))),
            ("output-type-widened", "was a string, is null now"),
            ("input-type-narrowed", "was null, must be a string now"),
        ),
        (
            Gap(GapKind.TYPE, (), "", "", "type", values=("array",), kinds=(("string", "array"), ("string",))),
            ("output-type-widened", "was a string, may now also be an array"),
            ("input-type-narrowed", "an array is no longer accepted, only a string"),
        ),
        (
            Gap(GapKind.VALUE, (), "", "", "const", constraint="a", values=('"b"',)),
            ("output-const-changed", 'was always "a", may now be "b"'),
            ("input-const-changed", 'only "a" is accepted, no longer "b"'),
        ),
        (
            Gap(GapKind.VALUE, (), "", "", "enum", values=('"b"',)),
            ("output-enum-value-added", 'may now be "b", which the enum did not have'),
            ("input-enum-value-removed", '"b" is no longer accepted'),
        ),
        (
            Gap(GapKind.MINIMUM, (), "", "", "exclusiveMinimum", constraint=2),
            ("output-minimum-lowered", "may now be smaller than exclusiveMinimum 2 allowed"),
            ("input-minimum-raised", "numbers below exclusiveMinimum 2 are no longer accepted"),
        ),
    ],
)
def test_names_and_messages(gap: Gap, output: tuple[str, str], input: tuple[str, str]) -> None:
    for category, expected in ((Category.OUTPUT, output), (Category.INPUT, input)):
        rule = find_gap_rule(category, gap)
        assert (rule.id, rule.describe(gap)) == expected


def test_a_newly_declared_argument_is_a_note() -> None:
    severities = {rule.severity: rule.id for rule in (*INPUT_GAP_RULES, *OUTPUT_GAP_RULES)}
    assert set(severities) == {Severity.ERROR, Severity.NOTE}
    assert severities[Severity.NOTE] == "input-property-declared"
