"""Offsets in the syntax tree."""

from __future__ import annotations

import pickle

import pytest
from jinja2 import nodes
from mcpgen.content.syntax import TemplateSyntaxProblem, cast_to_expr, parse_jinja


def test_line_numbers_are_offsets() -> None:
    text = "line\n{%- if  open %}{{ name }}\n{{ rank }}{% endif %}"
    names = {name.name: name.lineno for name in parse_jinja(text).find_all(nodes.Name)}
    assert names == {name: text.index(name) for name in ("open", "name", "rank")}


@pytest.mark.parametrize(
    ("text", "offset"),
    [("a {{ b }", 7), ("{% if a %}", 10), ("{{ 'a }}", 3), ("{% nope %}", 3), ("a\n\n{% endif %}", 6)],
)
def test_syntax_errors_have_an_offset(text: str, offset: int) -> None:
    with pytest.raises(TemplateSyntaxProblem) as caught:
        parse_jinja(text)
    assert caught.value.offset == offset


def test_deep_nesting_is_an_error_of_the_template() -> None:
    with pytest.raises(TemplateSyntaxProblem, match="nested too deep"):
        parse_jinja("{{ " + "(" * 20_000 + "a" + ")" * 20_000 + " }}")


def test_errors_survive_another_process() -> None:
    error = pickle.loads(pickle.dumps(TemplateSyntaxProblem("message", 7)))
    assert (str(error), error.offset) == ("message", 7)


def test_statements_are_not_expressions() -> None:
    name = nodes.Name("a", "load")
    assert cast_to_expr(name) is name
    with pytest.raises(AssertionError):
        cast_to_expr(nodes.Output([]))
