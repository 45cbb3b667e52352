"""The checker of expressions offers what its parts need."""

from __future__ import annotations

import pytest
from mcpgen.content.context import CheckContext
from mcpgen.content.problems import TemplateRefused
from support.templates import Checker, parse_expression


def refuse_each(context: CheckContext) -> None:
    node = parse_expression("name")
    with pytest.raises(TemplateRefused):
        context.refuse("MG503", "there is no `name`", node)
    with pytest.raises(TemplateRefused):
        context.refuse_unsupported("`name`", node)
    with pytest.raises(TemplateRefused):
        context.refuse_type("`name` is a list", node, "help")


def test_problems_have_codes_by_their_kind() -> None:
    checker = Checker()
    refuse_each(checker)
    assert [(problem.code, problem.message, problem.offset) for problem in checker.log.problems] == [
        ("MG503", "there is no `name`", 3),
        ("MG502", "`name` cannot be compiled", 3),
        ("MG505", "`name` is a list", 3),
    ]
