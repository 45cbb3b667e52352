"""Check `if` statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from jinja2 import nodes

from mcpgen.content.conditions import evaluate_test
from mcpgen.content.context import CheckContext
from mcpgen.content.jinja_parser import cast_to_expr
from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.problems import TemplateRefused
from mcpgen.ir.template import Expr, If, Statement

BodyChecker: TypeAlias = Callable[[Iterable[nodes.Node], Facts], tuple[Statement, ...]]
"""Checks the statements in the body of another one."""


def check_if(context: CheckContext, node: nodes.If, facts: Facts, check_body: BodyChecker) -> list[Statement]:
    """Check an `if` with its branches; those that are never taken are checked, and left out."""
    branches: list[tuple[Expr, tuple[Statement, ...]]] = []
    is_decided = False
    with context.scope.enter_branches() as scope_branches:
        for branch in (node, *node.elif_):
            condition = _check_test(context, branch, facts)
            if condition is None:  # the problem is recorded; which facts would follow is unknown
                return []
            outcome = evaluate_test(condition.expr)
            scope_branches.start_branch()
            body = check_body(branch.body, facts if outcome is False else condition.yes)
            if outcome is not False and not is_decided:
                branches.append((condition.expr, body))
                scope_branches.end_branch()
            is_decided = is_decided or outcome is True
            facts = facts if outcome is True else condition.no
        scope_branches.start_branch()
        otherwise = check_body(node.else_, facts)
        if not is_decided:
            scope_branches.end_branch()
    if branches and evaluate_test(branches[-1][0]) is True:
        otherwise = branches.pop()[1]
    elif is_decided:
        otherwise = ()
    return [If(tuple(branches), otherwise)] if branches else list(otherwise)


def _check_test(context: CheckContext, branch: nodes.If, facts: Facts) -> Condition | None:
    """Check the test of a branch, None if it is refused."""
    try:
        return context.check_condition(cast_to_expr(branch.test), facts)
    except TemplateRefused:
        return None
