"""Items and slices."""

from __future__ import annotations

import pytest
from mcpgen.content.narrowing import Facts
from mcpgen.content.subscripts import check_element
from mcpgen.content.value_types import NUMBER, STRING
from mcpgen.content.values import Value
from mcpgen.ir.template import Call, Compare, Constant, Expr, Slice, Subscript
from mcpgen.ir.types import ANY, Array, Type
from support.templates import Checker, field, parse_expression, refusal_of, value_of

TAGS = field("tags")


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.pair[1]", Subscript(field("pair"), Constant(1)), NUMBER),
        ("result.pair[-2]", Subscript(field("pair"), Constant(-2)), STRING),
        ("result.levels[0]", Subscript(field("levels"), Constant(0)), NUMBER),
        ("result['name']", field("name"), STRING),
        ("result.tags[1:]", Slice(TAGS, (Constant(1), None, None)), Array(STRING)),
        ("result.name[::-1]", Slice(field("name"), (None, None, Constant(-1))), STRING),
    ],
)
def test_items_that_are_present(text: str, expr: Expr, type: Type) -> None:
    assert value_of(text) == Value(expr, type)


@pytest.mark.parametrize(
    ("text", "present", "type"),
    [
        ("result.tags[0]", TAGS, STRING),
        ("result.tags[2]", Compare(Call("len", (TAGS,)), ((">=", Constant(3)),)), STRING),
        ("result.tags[-2]", Compare(Call("len", (TAGS,)), ((">=", Constant(2)),)), STRING),
        ("result.prices[result.name]", Compare(field("name"), (("in", field("prices")),)), NUMBER),
        ("result.extra[1]", Call("has_item", (field("extra"), Constant(1))), ANY),
    ],
)
def test_items_that_may_be_absent(text: str, present: Expr, type: Type) -> None:
    value = value_of(text)
    assert value.absent is not None
    assert (value.absent.present, value.type) == (present, type)


def test_a_list_that_is_true_has_a_first_item() -> None:
    base, node = Value(TAGS, Array(STRING)), parse_expression("result.tags[0]")
    facts = Facts().with_truthy(TAGS)
    assert check_element(Checker(), base, Array(STRING), 0, facts, node).absent is None
    assert check_element(Checker(), base, Array(STRING), -1, facts, node).absent is None
    assert check_element(Checker(), base, Array(STRING), 1, facts, node).absent is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.pair[2]", "`result.pair[2]` is beyond the 2 items that there are"),
        ("result.count[0]", "`result.count` is an integer, not a list"),
        ("result.tags[result.count]", "an index that is not a literal cannot be compiled"),
        ("result.tags[::0]", "a slice by anything but literal numbers cannot be compiled"),
        ("result.count[1:]", "`result.count` is an integer, not a list or a string"),
        ("range(3)[0]", "a generator has no items to choose from"),
    ],
)
def test_items_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message
