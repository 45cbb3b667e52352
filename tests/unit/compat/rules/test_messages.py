"""Values, types and keywords in messages."""

from __future__ import annotations

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.messages import (
    LONGEST_VALUE,
    GapFields,
    cut_text,
    describe_keyword_change,
    format_kinds,
    format_value,
)


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
    assert describe_keyword_change("format", "date", "time") == 'format was "date", is "time" now'
    assert describe_keyword_change("format", "date", None) == 'format was "date", is gone'
    assert describe_keyword_change("format", None, "time") is None
    assert describe_keyword_change("default", [1], [1]) is None


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
