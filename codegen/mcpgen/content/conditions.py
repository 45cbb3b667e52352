"""Build and simplify the Python conditions of the generated code."""

from __future__ import annotations

from mcpgen.ir.template import FALSE, TRUE, Compare, Constant, Expr, Logic, Not

_OPPOSITE_OPERATORS = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}


def evaluate_test(test: Expr) -> bool | None:
    """Return the outcome of a test if it is constant, None otherwise."""
    return test.value if isinstance(test, Constant) and isinstance(test.value, bool) else None


def negate_test(test: Expr) -> Expr:
    """Return the opposite of a test."""
    match test:
        case Constant(value=value):
            return Constant(not value)
        case Not(operand=operand):
            return operand
        case Compare(first=left, others=((operator, right),)) if operator in _OPPOSITE_OPERATORS:
            return Compare(left, ((_OPPOSITE_OPERATORS[operator], right),))
        case _:
            return Not(test)


def conjoin_tests(*tests: Expr) -> Expr:
    """Return the test that all of some tests are met."""
    parts: list[Expr] = []
    for test in tests:
        outcome = evaluate_test(test)
        if outcome is False:
            return FALSE
        if outcome is None:
            parts += test.parts if isinstance(test, Logic) and test.operator == "and" else (test,)
    if not parts:
        return TRUE
    return parts[0] if len(parts) == 1 else Logic("and", tuple(parts))


def disjoin_tests(left: Expr, right: Expr) -> Expr:
    """Return the test that at least one of two tests is met."""
    if evaluate_test(left) is True or evaluate_test(right) is True:
        return TRUE
    if evaluate_test(left) is False:
        return right
    return left if evaluate_test(right) is False else Logic("or", (left, right))
