"""`set`."""

from __future__ import annotations

from mcpgen.content.assignments import check_assignment
from mcpgen.content.jinja_parser import parse_jinja
from mcpgen.content.narrowing import Facts
from mcpgen.content.value_types import INTEGER, STRING
from mcpgen.content.values import Value
from mcpgen.ir.template import Assign, Constant, Local, Operation
from mcpgen.ir.types import Array
from support.templates import Checker, field, problems_of, statements_of


def assign(checker: Checker, text: str) -> Assign:
    return check_assignment(checker, parse_jinja("{% set " + text + " %}").body[0], Facts())  # type: ignore[arg-type]


def test_a_set_defines_a_variable() -> None:
    checker = Checker()
    assert assign(checker, "crew = result.tags") == Assign("crew", field("tags"))
    assert checker.scope.variables["crew"].value == Value(Local("crew"), Array(STRING))


def test_another_set_of_the_type_assigns_the_variable() -> None:
    checker = Checker()
    assign(checker, "n = 1")
    assert assign(checker, "n = n + 1") == Assign("n", Operation("+", Local("n"), Constant(1)))
    variable = checker.scope.variables["n"].value
    assert variable is not None
    assert variable.type == INTEGER
    assert checker.scope.count_assignments() == 2


def test_a_name_of_the_result_gets_a_python_variable() -> None:
    (statement,) = statements_of("{% set list = name %}")
    assert statement == Assign("list_", field("name"))


def test_a_fact_ends_with_a_set() -> None:
    template = "{% set note = note %}{% if note is string %}{{ note | upper }}{% set note = rank | default(none) %}"
    assert problems_of(template + "{{ note + 'x' }}{% endif %}") != []


def test_what_is_refused() -> None:
    for template, message in {
        "{% set a, b = pair %}": "a `set` of several names cannot be compiled",
        "{% set ns.a = 1 %}": "a namespace cannot be compiled",
        "{% set a = [] %}": "an empty list in a variable cannot be compiled",
        "{% set a = range(3) %}": "a generator cannot be kept",
        "{% set a = 1 %}{% set a = 'x' %}": "`a` was an integer and becomes a string",
        "{% if open %}{% set name = 'x' %}{% endif %}": (
            "the `set` of `name`, which is something else outside of the branch, cannot be compiled"
        ),
    }.items():
        assert [message for _, message, _ in problems_of(template)] == [message]


def test_a_variable_that_was_refused_is_not_reported_again() -> None:
    assert len(problems_of("{% set a = nothing %}{{ a }}{{ a | upper }}")) == 1
