"""Paths of compared values."""

from __future__ import annotations

from mcpgen.compat.inclusion.checker import InclusionChecker
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from support.compat import make_view


def test_a_step_is_a_level_of_the_value_and_a_question_is_not() -> None:
    path = ValuePath().step_into("a").nest().step_into("*")
    assert path == ValuePath(("a", "*"), depth=2, nesting=1)
    assert ValuePath().nest() == ValuePath((), depth=0, nesting=1)


def test_the_checker_is_a_context() -> None:
    context: InclusionContext = InclusionChecker(make_view(True), make_view({"type": "null"}))
    assert context.consumer.root.schema == {"type": "null"}
