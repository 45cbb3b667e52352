"""Values as conditions."""

from __future__ import annotations

import pytest
from mcpgen.content.narrowing import Facts
from mcpgen.content.truth import check_truth
from mcpgen.content.value_types import NULL
from mcpgen.ir.template import TRUE, Call, Compare, Constant, Expr, IsNone, IsSet, Logic, Not, Subscript
from mcpgen.ir.types import Choice, Ref
from support.templates import RESULT, Checker, condition_of, field, parse_expression, refusal_of

PRICE = Subscript(field("prices"), Constant("a"))


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("result.name", field("name")),
        ("result.master", TRUE),
        ("result.depth", TRUE),
        ("result.deputy", Not(IsNone(field("deputy")))),
        ("result.gusts", field("gusts")),
        ("result.rank", field("rank")),
        ("result.prices.a", Logic("and", (Compare(Constant("a"), (("in", field("prices")),)), PRICE))),
        ("''", Constant(False)),
        ("result.tags | length", Call("len", (field("tags"),))),
    ],
)
def test_python_condition(text: str, test: Expr) -> None:
    assert check_truth(Checker(), parse_expression(text), Facts()).expr == test


def test_a_condition_narrows_types() -> None:
    condition = condition_of("result.deputy")
    assert condition.yes.types[field("deputy")] == Ref("Master")
    assert condition.no.types[field("deputy")] == NULL
    assert condition_of("result.open").no.types[field("open")] == Choice((False,))


def test_an_absent_value_is_false() -> None:
    condition = condition_of("result.gusts")
    assert field("gusts") in condition.yes.present
    assert field("gusts") not in condition.no.present
    assert dict(condition.no.types) == {}


def test_a_length_that_is_true_is_that_of_a_list_with_items() -> None:
    assert field("tags") in condition_of("result.tags | length").yes.truthy


def test_generators_are_refused() -> None:
    assert refusal_of("1 if range(3) else 2") == "a generator is not a condition"


def test_null_and_absent_are_told_apart_by_is_defined_only() -> None:
    assert condition_of("result.rank is defined").expr == IsSet(RESULT, "rank")
