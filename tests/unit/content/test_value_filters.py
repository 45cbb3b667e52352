"""Filters of numbers and of any value."""

from __future__ import annotations

import pytest
from mcpgen.content.value_filters import VALUE_FILTERS
from mcpgen.content.value_types import INTEGER, NUMBER, STRING
from mcpgen.ir.template import Call, Conditional, Constant, Expr, IsNone, ListLiteral, Logic, Method, Not, ToJson
from mcpgen.ir.types import Array, Choice, Type, Union
from support.templates import field, refusal_of, value_of

GUSTS, TAGS = field("gusts"), field("tags")


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.count | abs", Call("abs", (field("count"),)), INTEGER),
        ("result.wind | round(1)", Call("round", (field("wind"), Constant(1))), NUMBER),
        (
            "result.count | round(0, 'ceil')",
            Call("rounded", (field("count"), Constant(0), Constant("ceil"))),
            NUMBER,
        ),
        ("result.name | int(7)", Call("to_int", (field("name"),), (("default", Constant(7)),)), INTEGER),
        ("result.name | int(base=16)", Call("to_int", (field("name"),), (("base", Constant(16)),)), INTEGER),
        ("result.name | float", Call("to_float", (field("name"),)), NUMBER),
        ("result.tags | length", Call("len", (TAGS,)), INTEGER),
        ("result.master | count", Call("len", (Call("members", (field("master"),)),)), INTEGER),
        ("result.name | default('x')", field("name"), STRING),
        (
            "result.gusts | default(0)",
            Conditional(Not(IsNone(GUSTS)), GUSTS, Constant(0)),
            Union((Choice((0,)), NUMBER)),
        ),
        (
            "result.prices.a | default(0)",
            Method(field("prices"), "get", (Constant("a"), Constant(0))),
            Union((Choice((0,)), NUMBER)),
        ),
        ("result.name | d('x', true)", Logic("or", (field("name"), Constant("x"))), STRING),
    ],
)
def test_python_expression(text: str, expr: Expr, type: Type) -> None:
    value = value_of(text)
    assert (value.expr, value.type, value.absent) == (expr, type, None)


def test_the_first_item_with_a_default() -> None:
    first = value_of("result.tags | list | first | default('-')")
    assert first.expr == Call("next", (Call("iter", (Call("list", (TAGS,)),)), Constant("-")))
    smallest = value_of("result.tags | min | default('-')")
    assert isinstance(smallest.expr, Call)
    assert dict(smallest.expr.keywords)["default"] == Constant("-")


def test_the_length_of_a_native_string_is_that_of_its_text() -> None:
    value = value_of("result.stamp | length")
    assert isinstance(value.expr, Call)
    assert isinstance(value.expr.arguments[0], ToJson)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.name | abs", "`abs` needs numbers, and `result.name` is a string"),
        ("result.wind | round(1, 'up')", '`round` knows "common", "ceil" and "floor"'),
        ("result.tags | int", "`int` needs text, and this is a list"),
        ("result.count | length", "`length` of an integer"),
        ("range(2) | length", "`length` of a generator"),
        ("result.prices.a | default([])", None),
        ("result.tags[0] | default([])", "`default([])` here cannot be compiled"),
    ],
)
def test_what_is_refused(text: str, message: str | None) -> None:
    if message is None:
        assert value_of(text).expr == Method(field("prices"), "get", (Constant("a"), ListLiteral(())))
    else:
        assert refusal_of(text) == message


def test_entries_are_in_alphabetical_order() -> None:
    names = [entry.name for entry in VALUE_FILTERS]
    assert names == sorted(set(names))
    assert value_of("result.tags | default([])").type == Array(STRING)
