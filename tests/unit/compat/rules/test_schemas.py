"""Rules for schemas."""

from __future__ import annotations

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.rule import Category, RuleMatch, SubschemaPair
from mcpgen.compat.rules.schemas import (
    GAP_ROWS,
    INPUT_GAP_RULES,
    INPUT_KEYWORD_RULES,
    LONGEST_VALUE,
    OUTPUT_GAP_RULES,
    OUTPUT_KEYWORD_RULES,
    GapFields,
    cut_text,
    find_gap_rule,
    find_keyword_change,
    format_kinds,
    format_value,
)
from mcpgen.diagnostics import Severity
from mcpgen.schema.values import Json


# --- the table of gaps: a rule in each direction for every kind -------------------------------------------------------
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


# --- rules for keywords that assert nothing ---------------------------------------------------------------------------
def test_each_direction_has_its_keywords() -> None:
    keywords = ("format", "contentEncoding", "contentMediaType", "default", "title")
    for category, rules, expected in (
        (Category.INPUT, INPUT_KEYWORD_RULES, ["format", "contentEncoding", "default"]),
        (Category.OUTPUT, OUTPUT_KEYWORD_RULES, ["format", "contentEncoding", "contentMediaType"]),
    ):
        pair = SubschemaPair("", dict.fromkeys(keywords, "a"), dict.fromkeys(keywords, "b"))
        assert [match.text.split()[0] for rule in rules for match in rule.find(pair)] == expected
        assert {(rule.category, rule.side) for rule in rules} == {(category, category)}


def test_a_replaced_and_a_removed_keyword() -> None:
    (rule,) = (rule for rule in INPUT_KEYWORD_RULES if rule.id == "input-default-changed")
    replaced = SubschemaPair("/properties/a", {"default": 1}, {"default": 2})
    assert list(rule.find(replaced)) == [RuleMatch("default was 1, is 2 now", "/properties/a")]
    assert [match.text for match in rule.find(SubschemaPair("", {"default": 1}, {}))] == ["default was 1, is gone"]


def test_an_added_or_equal_keyword_is_no_change() -> None:
    rule = OUTPUT_KEYWORD_RULES[0]
    assert list(rule.find(SubschemaPair("", {}, {"format": "date"}))) == []
    assert list(rule.find(SubschemaPair("", {"format": "date"}, {"format": "date"}))) == []


# --- values, types and keywords in messages ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kinds", "text"),
    [
        (("null",), "null"),
        (("string", "null"), "a string or null"),
        (("integer", "number"), "a number"),
        (("number",), "a number that is not an integer"),
        (("array", "integer", "number", "object"), "a number, an array or an object"),
    ],
)
def test_kinds(kinds: tuple[str, ...], text: str) -> None:
    assert format_kinds(kinds) == text


def test_long_values_are_cut() -> None:
    assert cut_text("x" * LONGEST_VALUE) == "x" * LONGEST_VALUE
    assert cut_text("x" * (LONGEST_VALUE + 1)) == "x" * (LONGEST_VALUE - 1) + "…"
    assert format_value({"é": [None]}) == '{"é": [null]}'


def test_fields_of_a_gap() -> None:
    gap = Gap(GapKind.VALUE, (), "", "", "enum", name="a", constraint=["x"], values=('"y"', "null"))
    text = "{gap.name} {gap.keyword} {gap.constraint}: {gap.values}".format(gap=GapFields(gap))
    assert text == 'a enum ["x"]: "y" or null'


def test_braces_in_values_are_no_fields() -> None:
    gap = Gap(GapKind.PATTERN, (), "", "", "pattern", constraint="^a{2}$")
    assert f"matches {GapFields(gap).constraint}" == 'matches "^a{2}$"'


def test_keyword_changes() -> None:
    def describe(keyword: str, old: Json, new: Json) -> list[str]:
        pair = SubschemaPair("", {} if old is None else {keyword: old}, {} if new is None else {keyword: new})
        return [match.text for match in find_keyword_change(keyword, pair)]

    assert describe("format", "date", "time") == ['format was "date", is "time" now']
    assert describe("format", "date", None) == ['format was "date", is gone']
    assert describe("format", None, "time") == []
    assert describe("default", [1], [1]) == []


@pytest.mark.parametrize(
    ("old", "new", "result", "argument"),
    [
        ("string", "integer", "was a string, is an integer now", "was a string, must be an integer now"),
        ("string", "null", "was a string, is null now", "was a string, must be null now"),
        ("number", "string integer", "was a number, may now also be a string", "{} is no longer accepted, only {}"),
    ],
)
def test_changed_types(old: str, new: str, result: str, argument: str) -> None:
    kinds = {"number": ("integer", "number"), "string integer": ("string", "integer")}
    before, after = kinds.get(old, (old,)), kinds.get(new, (new,))
    added, lost = (tuple(sorted({*one} - {*other})) for one, other in ((after, before), (before, after)))
    widened = Gap(GapKind.TYPE, (), "", "", "type", values=added, kinds=(after, before))
    narrowed = Gap(GapKind.TYPE, (), "", "", "type", values=lost, kinds=(before, after))
    assert GapFields(widened).changed_result == result
    expected = argument.format("a number that is not an integer", "a string or an integer")
    assert GapFields(narrowed).changed_argument == expected
