"""Messages about templates."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
import pytest
from jinja2 import nodes
from mcpgen.content.context import CheckContext, TemplateProblem, TemplateRefused, sort_problems
from mcpgen.content.statements import find_printed_nulls
from mcpgen.content.syntax import format_expression, format_names, get_literal_integer, quote_expression
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.document import Schema
from support.templates import Checker, parse_expression


# --- expressions and names in messages --------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["name", "master.name", 'prices["a b"]', "berths[0].no", "pair[1]"])
def test_names_with_members_are_written_as_in_a_template(text: str) -> None:
    assert format_expression(parse_expression(text)) == text
    assert quote_expression(parse_expression(text)) == f"`{text}`"


@pytest.mark.parametrize("text", ["a + b", "(a | upper)", "f()"])
def test_other_expressions_have_a_placeholder(text: str) -> None:
    assert format_expression(parse_expression(text)) == "…"
    assert quote_expression(parse_expression(text)) == "this"
    assert format_expression(parse_expression(f"({text}).x")) == "….x"


def test_the_variable_of_a_filter_is_not_shown() -> None:
    item = nodes.Name("\0item", "load")
    assert format_expression(nodes.Getitem(item, nodes.Const("name"), "load")) == "name"
    assert format_names(["\0item"]) == "nothing"


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("-3", -3), ("--3", 3), ("3.0", None), ("true", None), ("n", None)]
)
def test_literal_integers(text: str, value: int | None) -> None:
    assert get_literal_integer(parse_expression(text)) == value


def test_names_are_sorted_and_counted() -> None:
    assert format_names(["b", "a"]) == "`a`, `b`"
    assert format_names("jihgfedcba") == "`a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more"


# --- recorded problems -----------------------------------------------------------------------------------------------
def record(context: CheckContext, node: nodes.Node, message: str) -> None:
    with pytest.raises(TemplateRefused):
        context.refuse("MG502", message, node, "help")


def test_problems_are_sorted_and_come_once() -> None:
    context = Checker()
    record(context, nodes.Name("b", "load", lineno=9), "second")
    record(context, nodes.Name("a", "load", lineno=4), "first")
    record(context, nodes.Name("b", "load", lineno=9), "second")
    first, second = TemplateProblem("MG502", "first", 4, "help"), TemplateProblem("MG502", "second", 9, "help")
    assert sort_problems(context.problems) == [first, second]


def test_a_member_starts_after_its_dot() -> None:
    context = Checker()
    record(context, nodes.Getattr(nodes.Name("a", "load", lineno=3), "b", "load", lineno=4), "no b")
    assert [problem.offset for problem in context.problems] == [5]


# --- places where a template prints a value that may be null ----------------------------------------------------------
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gusts": NUMBER,
        "sea": {"type": "object", "properties": {"waves": NUMBER}, "required": ["waves"]},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"n": NUMBER}, "required": ["n"]}},
        "all": {"type": "array", "items": NUMBER},
        "note": {"type": ["string", "null"]},
        "maybe": NUMBER,
        "any": True,
        "nothing": {"type": "null"},
    },
    "required": ["gusts", "sea", "rows", "all", "note", "any", "nothing"],
}
VALUE: dict[str, Any] = {
    "gusts": None,
    "sea": {"waves": None},
    "rows": [{"n": None}],
    "all": [None, 1],
    "note": None,
    "any": 1,
    "nothing": None,
}
PRINTING = [
    "{{ gusts }}",
    "{{ sea.waves }} m",
    "{{ value.sea.waves }}",
    "{% for row in rows %}{{ row.n }}{% endfor %}",
    "{% for n in all %}{{ n }}{% endfor %}",
    "{{ all | join(', ') }}",
    "{{ rows | join(', ', attribute='n') }}",
    "{{ all | first | default(0) }}",
    "{{ note | upper | lower | capitalize }}",
    "{{ gusts ~ ' m/s' }}",
    "{{ gusts | default('-') }}",
    "{{ gusts if maybe is not defined else 1 }}",
    "{% set g = gusts %}{{ g }}",
    "{% if note %}{{ note }}{% endif %}{{ note }}",
    "{% if note or gusts is none %}{{ gusts }}{{ note }}{% endif %}",
]
GUARDED = [
    "{% if gusts %}{{ gusts }}{% endif %}",
    "{% if gusts is not none %}{{ gusts }} m/s{% endif %}",
    "{% if gusts is none %}-{% else %}{{ gusts }}{% endif %}",
    "{% if gusts == none %}-{% else %}{{ gusts }}{% endif %}",
    "{% if not note %}-{% else %}{{ note }}{% endif %}",
    "{% if gusts is number %}{{ gusts }}{% endif %}",
    "{% if note is string and gusts is not none %}{{ gusts }}{{ note }}{% endif %}",
    "{{ gusts if gusts is not none else '-' }}",
    "{{ gusts or '-' }}",
    "{{ gusts | default('-', true) }}",
    "{{ sea.waves | d('-', true) }}",
    "{% if sea.waves is not none %}{{ sea.waves }}{% endif %}",
    "{% for row in rows if row.n is not none %}{{ row.n }}{% endfor %}",
    "{% for row in rows %}{% if row.n %}{{ row.n }}{% endif %}{% endfor %}",
    "{{ all | select | join(', ') }}",
    "{{ all | reject('none') | join(', ') }}",
    "{% set g = gusts or 0 %}{{ g }}",
    "{% if maybe is defined and maybe is not none %}{{ maybe }}{% endif %}",
    "{{ gusts is none }}",
    "{{ any }}",
    "{{ all | length }}",
]


@cache
def lower_schema() -> SchemaRoot:
    return lower_schemas([LoweringRequest("output", Schema(SCHEMA, ""))])[0]


def find_messages(template: str) -> list[str]:
    nodes = {node.id: node for node in lower_schema().nodes}
    return [problem.message for problem in find_printed_nulls(template, lower_schema(), nodes)]


def render(template: str) -> str:
    return jinja2.Environment().from_string(template).render({**VALUE, "value": VALUE})


@pytest.mark.parametrize("template", PRINTING)
def test_what_jinja_prints_for_null_is_noted(template: str) -> None:
    assert "None" in render(template)
    assert find_messages(template)


@pytest.mark.parametrize("template", GUARDED)
def test_what_is_guarded_is_left_alone(template: str) -> None:
    assert "None" not in render(template)
    assert find_messages(template) == []


def test_what_can_only_be_null_is_meant() -> None:
    assert find_messages("{{ nothing }}") == []
    assert find_messages("{% if gusts is none %}{{ gusts }}{% endif %}") == []


def test_a_template_with_errors_has_no_notes() -> None:
    assert find_messages("{{ gusts }}{{ missing }}") == find_messages("{{ gusts }}{% if %}") == []


def test_the_note_says_how_to_guard_the_value() -> None:
    root = lower_schema()
    (problem,) = find_printed_nulls("a\n{{ sea.waves }}", root, {node.id: node for node in root.nodes})
    assert problem.message == '`sea.waves` may be null, and then prints "None"'
    assert problem.offset == len("a\n{{ sea.")
    assert problem.help == ("guard it: {% if sea.waves is not none %}, or give a default: sea.waves | default(…, true)")
