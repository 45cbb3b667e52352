"""The log of problems."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.problems import ProblemLog, TemplateProblem, TemplateRefused


def record(log: ProblemLog, node: nodes.Node, message: str) -> None:
    with pytest.raises(TemplateRefused):
        log.refuse("MG502", message, node, "help")


def test_problems_are_sorted_and_come_once() -> None:
    log = ProblemLog()
    record(log, nodes.Name("b", "load", lineno=9), "second")
    record(log, nodes.Name("a", "load", lineno=4), "first")
    record(log, nodes.Name("b", "load", lineno=9), "second")
    first, second = TemplateProblem("MG502", "first", 4, "help"), TemplateProblem("MG502", "second", 9, "help")
    assert log.list_sorted() == [first, second]


def test_a_member_starts_after_its_dot() -> None:
    log = ProblemLog()
    record(log, nodes.Getattr(nodes.Name("a", "load", lineno=3), "b", "load", lineno=4), "no b")
    assert [problem.offset for problem in log.problems] == [5]
