"""Simplified conditions, compared to truth tables."""

from __future__ import annotations

import itertools

import pytest
from mcpgen.content.conditions import conjoin_tests, disjoin_tests, evaluate_test, negate_test
from mcpgen.ir.template import FALSE, TRUE, Compare, Constant, Expr, Local, Logic, Not

A, B = Local("a"), Local("b")
TESTS: list[Expr] = [TRUE, FALSE, A, B, Not(A), Logic("and", (A, B)), Logic("or", (A, B))]


def evaluate(test: Expr, values: dict[str, bool]) -> bool:
    match test:
        case Constant(value=bool() as value):
            return value
        case Local(name=name):
            return values[name]
        case Not(operand=operand):
            return not evaluate(operand, values)
        case Logic(operator="and", parts=parts):
            return all(evaluate(part, values) for part in parts)
        case Logic(operator="or", parts=parts):
            return any(evaluate(part, values) for part in parts)
        case _:
            raise AssertionError(test)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(TESTS, repeat=2)))
def test_simplified_tests_have_the_same_outcome(left: Expr, right: Expr) -> None:
    for a, b in itertools.product((True, False), repeat=2):
        values = {"a": a, "b": b}
        outcomes = evaluate(left, values), evaluate(right, values)
        assert evaluate(conjoin_tests(left, right), values) is all(outcomes)
        assert evaluate(disjoin_tests(left, right), values) is any(outcomes)
        assert evaluate(negate_test(left), values) is not outcomes[0]


def test_constants_leave_no_trace() -> None:
    assert conjoin_tests(TRUE, A, TRUE) == A
    assert conjoin_tests() == TRUE
    assert conjoin_tests(A, FALSE) == FALSE
    assert disjoin_tests(FALSE, A) == A
    assert disjoin_tests(A, TRUE) == TRUE


def test_conjunctions_are_flat() -> None:
    assert conjoin_tests(Logic("and", (A, B)), Local("c")) == Logic("and", (A, B, Local("c")))


def test_comparisons_are_negated_by_their_operator_where_that_is_exact() -> None:
    assert negate_test(Compare(A, (("==", B),))) == Compare(A, (("!=", B),))
    assert negate_test(Compare(A, (("not in", B),))) == Compare(A, (("in", B),))
    assert negate_test(Compare(A, (("<", B),))) == Not(Compare(A, (("<", B),)))  # NaN is neither


def test_only_booleans_are_outcomes() -> None:
    assert evaluate_test(Constant(False)) is False
    assert evaluate_test(Constant(0)) is None
    assert evaluate_test(A) is None
