"""Comparisons and what they prove."""

from __future__ import annotations

import pytest
from mcpgen.content.conditions import check_comparison, make_condition, negate_condition
from mcpgen.content.type_lookup import STRING
from mcpgen.content.values import Facts
from mcpgen.ir.template import TRUE, Compare, Constant, Expr, IsNone, ListLiteral, Not
from mcpgen.ir.types import NULL, Choice, Ref
from support.templates import Checker, condition_of, field, parse_expression, refusal_of

COUNT, STATE = field("count"), field("state")


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("result.count == 3", Compare(COUNT, (("==", Constant(3)),))),
        ("result.count != 3", Compare(COUNT, (("!=", Constant(3)),))),
        ("1 < result.count <= 5", Compare(Constant(1), (("<", COUNT), ("<=", Constant(5))))),
        ("result.note == none", IsNone(field("note"))),
        ("none != result.note", Not(IsNone(field("note")))),
        ("result.name in result.tags", Compare(field("name"), (("in", field("tags")),))),
        ("'a' not in result.name", Compare(Constant("a"), (("not in", field("name")),))),
        ("'a' in result.prices", Compare(Constant("a"), (("in", field("prices")),))),
        ("result.state in ['open']", Compare(STATE, (("in", ListLiteral((Constant("open"),))),))),
    ],
)
def test_python_condition(text: str, test: Expr) -> None:
    assert condition_of(text).expr == test


def test_equality_narrows_constants() -> None:
    condition = condition_of("result.state == 'open'")
    assert condition.yes.types[STATE] == Choice(("open",))
    assert condition.no.types[STATE] == Choice(("closed",))
    negated = condition_of("result.state != 'open'")
    assert negated.yes.types[STATE] == Choice(("closed",))


def test_a_constant_property_tells_objects_apart() -> None:
    condition = condition_of("result.event.kind == 'arrival'")
    assert condition.yes.types[field("event")] == Ref("Arrival")
    assert condition.no.types[field("event")] == Ref("Departure")


def test_a_comparison_with_null_narrows() -> None:
    condition = condition_of("result.note == none")
    assert (condition.yes.types[field("note")], condition.no.types[field("note")]) == (NULL, STRING)


@pytest.mark.parametrize(
    ("text", "if_met", "if_unmet"),
    [
        ("result.count > 0", True, False),
        ("result.count >= 0", False, True),
        ("result.count < 0", True, False),
        ("result.count <= 0", False, True),
        ("0 < result.count", True, False),
        ("result.count > -1", False, True),
        ("result.count == 0", False, True),
        ("result.count != 0", True, False),
        ("result.count == 2", True, False),
    ],
)
def test_numbers_that_are_not_zero(text: str, if_met: bool, if_unmet: bool) -> None:
    condition = condition_of(text)
    assert (COUNT in condition.yes.truthy, COUNT in condition.no.truthy) == (if_met, if_unmet)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.state == 'shut'", 'a string never equals "shut"'),
        ("result.count == 'a'", 'an integer never equals "a"'),
        ("result.tags == ['a']", "the comparison of a list cannot be compiled"),
        ("result.name < 3", "`<` needs two numbers or two strings, and these are a string and an integer"),
        ("result.state in ['open', 'shut']", 'a string never equals "shut"'),
        ("result.count in result.tags", "an integer is never in a list of a string"),
        ("'a' in result.deputy", "`in` with an object cannot be compiled"),
        ("1 < 2 in [3]", "`in` inside of a chain of comparisons cannot be compiled"),
    ],
)
def test_comparisons_with_one_outcome_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_numbers_and_booleans_are_comparable() -> None:
    left, right = parse_expression("result.open"), parse_expression("1")
    assert check_comparison(Checker(), left, "eq", right, Facts()).expr == Compare(
        field("open"), (("==", Constant(1)),)
    )


def test_negation_swaps_the_facts() -> None:
    condition = condition_of("result.open")
    negated = negate_condition(condition)
    assert (negated.yes, negated.no) == (condition.no, condition.yes)
    assert make_condition(TRUE, condition.yes).no is condition.yes
