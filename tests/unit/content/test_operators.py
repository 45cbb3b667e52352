"""Arithmetic, logic and calls."""

from __future__ import annotations

import pytest
from mcpgen.content.narrowing import Facts
from mcpgen.content.operators import check_call
from mcpgen.content.scope import LoopState
from mcpgen.content.value_types import BOOLEAN, INTEGER, NUMBER, STRING
from mcpgen.ir.template import (
    Call,
    Compare,
    Conditional,
    Constant,
    Expr,
    ListLiteral,
    Local,
    Logic,
    Operation,
    Sign,
    Stream,
    Subscript,
    TemplateType,
)
from mcpgen.ir.types import Choice, Union
from support.templates import Checker, condition_of, field, parse_expression, refusal_of, value_of

NAME, COUNT, WIND, DEPTH, OPEN = (field(name) for name in ("name", "count", "wind", "depth", "open"))


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("-result.count", Sign("-", COUNT), INTEGER),
        ("-3", Constant(-3), Choice((-3,))),
        ("result.count + 1", Operation("+", COUNT, Constant(1)), INTEGER),
        ("result.count + result.wind", Operation("+", COUNT, WIND), NUMBER),
        ("result.count / 2", Operation("/", COUNT, Constant(2)), NUMBER),
        ("result.count // 2", Operation("//", COUNT, Constant(2)), INTEGER),
        ("result.count % result.depth", Operation("%", COUNT, DEPTH), NUMBER),
        ("result.count ** 2", Operation("**", COUNT, Constant(2)), INTEGER),
        ("result.name + '!'", Operation("+", NAME, Constant("!")), STRING),
        ("result.name if result.open else 'x'", Conditional(OPEN, NAME, Constant("x")), STRING),
        ("result.name if result.name is defined else 'x'", NAME, STRING),
        ("result.open and result.name", Logic("and", (OPEN, NAME)), Union((Choice((False,)), STRING))),
        ("not result.open", None, BOOLEAN),
        ("range(1, result.count)", Call("range", (Constant(1), COUNT)), Stream(INTEGER)),
    ],
)
def test_values(text: str, expr: Expr | None, type: TemplateType) -> None:
    value = value_of(text)
    assert expr is None or value.expr == expr
    assert (value.type, value.absent) == (type, None)


def test_without_an_else_there_may_be_nothing() -> None:
    value = value_of("result.name if result.open")
    assert value.absent is not None
    assert value.absent.present == OPEN


def test_conditions_pass_on_what_they_prove() -> None:
    both = condition_of("result.gusts is defined and result.gusts > 3")
    assert field("gusts") in both.yes.present
    assert field("gusts") not in both.no.present
    either = condition_of("result.gusts is undefined or result.gusts > 3")
    assert field("gusts") not in either.yes.present
    assert field("gusts") in either.no.present


def test_a_guard_allows_a_division() -> None:
    assert value_of("1 / result.count if result.count else 0").type == Union((Choice((0,)), NUMBER))
    assert value_of("1 / (result.tags | length) if result.tags else 0").type == Union((Choice((0,)), NUMBER))
    assert value_of("1 / result.depth").expr == Operation("/", Constant(1), DEPTH)


def test_values_in_turn() -> None:
    checker = Checker()
    node = parse_expression("loop.cycle('a', 'b')")
    with checker.scope.enter_loop({}):
        checker.scope.start_body(LoopState(Local("index"), None))
        value = check_call(checker, node, Facts())  # type: ignore[arg-type]
    turn = Operation("%", Local("index"), Constant(2))
    assert value.expr == Subscript(ListLiteral((Constant("a"), Constant("b"))), turn)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / result.count", "`/` by `result.count`, which may be 0"),
        ("1 % 0", "`%` by this, which may be 0"),
        ("result.count ** result.count", "`**` with anything but a small literal exponent cannot be compiled"),
        ("2 ** 65", "`**` with anything but a small literal exponent cannot be compiled"),
        ("result.name + 1", "`+` of a string and an integer"),
        ("2 and result.name", "`and` as a value of this type cannot be compiled"),
        ("result.name.upper()", "the call of `.upper()` cannot be compiled"),
        ("lipsum()", "the call of `lipsum` cannot be compiled"),
        ("loop.cycle(1)", "there is no `loop` outside of a loop"),
        ("range()", "this call of `range` cannot be compiled"),
        ("range(1, 2, 0)", "`range` needs integers, and a step that is a literal and not 0"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_a_comparison_of_calls() -> None:
    length = Call("len", (field("tags"),))
    assert condition_of("(result.tags | length) > 2").expr == Compare(length, ((">", Constant(2)),))
