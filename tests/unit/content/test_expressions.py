"""The recursion into expressions."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.expressions import ExpressionChecker
from mcpgen.content.narrowing import Facts
from mcpgen.content.problems import ProblemLog, TemplateRefused
from mcpgen.content.scope import Scope
from mcpgen.content.value_types import BOOLEAN, INTEGER, STRING
from mcpgen.ir.template import Concat, Constant, Expr, ListLiteral, Not, Stream, TemplateType, ToString
from mcpgen.ir.types import ANY, Array, Choice, Union
from support.templates import TYPES, Checker, field, parse_expression, refusal_of, value_of


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("'a'", Constant("a"), Choice(("a",))),
        ("not result.open", Not(field("open")), BOOLEAN),
        ("result.name ~ result.count", Concat((field("name"), ToString(field("count"), INTEGER))), STRING),
        ("[1, 'a']", ListLiteral((Constant(1), Constant("a"))), Array(Union((INTEGER, STRING)))),
        ("(1, 2)", ListLiteral((Constant(1), Constant(2))), Stream(INTEGER)),
        ("[]", ListLiteral(()), Array(ANY)),
    ],
)
def test_values(text: str, expr: Expr, type: TemplateType) -> None:
    value = value_of(text)
    assert (value.expr, value.type) == (expr, type)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e999", "a number beyond all floats cannot be compiled"),
        (r"'\ud800'", "half of a surrogate pair cannot be compiled"),
        ("{'a': 1}", "a dict cannot be compiled"),
        ("not " * 60 + "result.open", "what is nested more than 40 levels deep cannot be compiled"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_facts_make_a_value_present_and_narrow_its_type() -> None:
    gusts = value_of("result.gusts")
    assert value_of("result.gusts", Facts().with_present(gusts)).absent is None
    facts = Facts().with_type(field("note"), STRING)
    assert value_of("result.note", facts).type == STRING


def test_a_node_is_checked_once_for_the_same_facts() -> None:
    checker, node, facts = Checker(), parse_expression("result.gusts"), Facts()
    assert checker.check_value(node, facts) is checker.check_value(node, facts)
    assert checker.check_value(node, Facts()) is not checker.check_value(node, facts)


def test_a_refused_node_has_one_problem() -> None:
    checker, node, facts = Checker(), parse_expression("result.nothing"), Facts()
    for _ in range(3):
        with pytest.raises(TemplateRefused):
            checker.check_value(node, facts)
    assert checker.messages == ["there is no `nothing` in `result`"]


def test_time_does_not_double_with_each_operator() -> None:
    calls = 0

    class Counting(ExpressionChecker):
        def _check_value(self, node: nodes.Expr, facts: Facts) -> object:  # type: ignore[override]
            nonlocal calls
            calls += 1
            return super()._check_value(node, facts)

    checker = Counting(TYPES, Scope(), ProblemLog())
    text = " or ".join(["''"] * 20)
    checker.check_value(parse_expression(text), Facts())
    assert calls < 200
