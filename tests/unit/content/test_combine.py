"""Values with a fallback, and values of branches."""

from __future__ import annotations

import pytest
from mcpgen.content.combine import make_fallback, merge_branch_types
from mcpgen.content.value_types import NUMBER, STRING
from mcpgen.content.values import Value
from mcpgen.ir.template import Conditional, Constant, Expr, ListLiteral, Logic, Markup, TemplateType
from mcpgen.ir.types import Array, Choice, Ref, Type, Union
from support.templates import TYPES, Checker, field, parse_expression, refusal_of, value_of

NODE = parse_expression("1")


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.name or 'none'", Logic("or", (field("name"), Constant("none"))), STRING),
        ("result.gusts or 0", Logic("or", (field("gusts"), Constant(0))), Union((Choice((0,)), NUMBER))),
        ("result.master or 'x'", field("master"), Ref("Master")),
        ("'' or result.name", field("name"), STRING),
        ("result.tags or []", Logic("or", (field("tags"), ListLiteral(()))), Array(STRING)),
    ],
)
def test_fallbacks(text: str, expr: Expr, type: Type) -> None:
    value = value_of(text)
    assert value.expr == expr
    if text != "result.master or 'x'":
        assert value.type == type


def test_an_absent_item_needs_a_condition() -> None:
    value = value_of("result.prices.a or 0")
    assert isinstance(value.expr, Conditional)
    assert value.expr.other == Constant(0)


@pytest.mark.parametrize(
    ("left", "right", "merged"),
    [
        (STRING, NUMBER, Union((STRING, NUMBER))),
        (Markup(), STRING, Markup()),
        (STRING, Markup(), Markup()),
        (Markup(), Markup(), Markup()),
    ],
)
def test_types_of_branches(left: TemplateType, right: TemplateType, merged: TemplateType) -> None:
    assert merge_branch_types(Checker(), left, right, NODE) == merged


def test_a_generator_has_no_common_type_with_a_string() -> None:
    assert refusal_of("range(2) if result.open else ''") == "this is either a generator or a string"
    assert refusal_of("range(2) or ''") == "a generator is not a condition"


def test_a_fallback_of_a_value_that_is_always_false() -> None:
    fallback = Value(field("name"), STRING)
    assert make_fallback(Checker(), Value(Constant(""), Choice(("",))), fallback, NODE) is fallback
    assert TYPES.has_only_kinds(fallback.type, ("string",))
