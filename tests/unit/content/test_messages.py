"""Expressions and names in messages."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.messages import format_expression, format_names, get_literal_integer, quote_expression
from support.templates import parse_expression


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
