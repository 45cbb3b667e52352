"""`if` statements."""

from __future__ import annotations

from jinja2 import nodes
from mcpgen.content.branches import check_if
from mcpgen.content.jinja_parser import parse_jinja
from mcpgen.content.narrowing import Facts
from mcpgen.ir.template import Assign, Constant, If, Local, Write
from support.templates import Checker, field, problems_of, statements_of

OPEN, TAGS = field("open"), field("tags")


def test_branches_in_order() -> None:
    assert statements_of("{% if open %}a{% elif tags %}b{% else %}c{% endif %}") == (
        If(((OPEN, (Write(("a",)),)), (TAGS, (Write(("b",)),))), (Write(("c",)),)),
    )


def test_branches_that_are_never_taken_are_left_out() -> None:
    assert statements_of("{% if false %}a{% elif open %}b{% elif true %}c{% else %}d{% endif %}") == (
        If(((OPEN, (Write(("b",)),)),), (Write(("c",)),)),
    )
    assert statements_of("{% if true %}a{% else %}b{% endif %}") == (Write(("a",)),)
    assert statements_of("{% if false %}a{% endif %}") == ()


def test_each_branch_gets_the_facts_of_the_tests_before_it() -> None:
    checker = Checker()
    bodies: list[Facts] = []

    def check_body(_: object, facts: Facts) -> tuple[()]:
        bodies.append(facts)
        return ()

    node = parse_jinja("{% if result.gusts is undefined %}{% elif result.note is none %}{% else %}{% endif %}").body[0]
    assert isinstance(node, nodes.If)
    check_if(checker, node, Facts(), check_body)
    assert [field("gusts") in facts.present for facts in bodies] == [False, True, True]
    assert [field("note") in facts.types for facts in bodies] == [False, True, True]


def test_variables_of_some_branches_are_refused_afterwards() -> None:
    template = "{% if open %}{% set x = 1 %}{% else %}{% set y = 1 %}{% set x = 2 %}{% endif %}"
    assert statements_of(template + "{{ x }}")[0] == If(
        ((OPEN, (Assign("x", Constant(1)),)),), (Assign("y", Constant(1)), Assign("x", Constant(2)))
    )
    assert [message for _, message, _ in problems_of(template + "{{ y }}")] == ["`y` is not set in every branch"]


def test_a_test_with_a_problem_ends_the_statement() -> None:
    template = "{% if nothing %}{{ nothing2 }}{% else %}{{ nothing3 }}{% endif %}{{ nothing4 }}"
    names = [message for _, message, _ in problems_of(template)]
    assert names == ["there is no `nothing` in the result", "there is no `nothing4` in the result"]


def test_a_local_is_shared_by_branches() -> None:
    (_, write) = statements_of("{% if open %}{% set w = name %}{% else %}{% set w = 'x' %}{% endif %}{{ w }}")
    assert write == Write((Local("w"),))
