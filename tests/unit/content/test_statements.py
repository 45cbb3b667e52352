"""Templates from text to statements."""

from __future__ import annotations

import pytest
from mcpgen.content.statements import check_template
from mcpgen.content.value_types import INTEGER
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import This, ToString, Write
from support.templates import field, problems_of, statements_of


def test_text_and_expressions_are_one_output() -> None:
    assert statements_of("a{{ name }}b{{ 'c' }}{# comment #}{{ 1 }}") == (Write(("a", field("name"), "bc1")),)
    assert statements_of("") == ()
    assert statements_of("{{ '' }}") == ()


def test_a_root_model_is_its_value() -> None:
    root = SchemaRoot(INTEGER, (), ())
    assert check_template("{{ value }}", root, {}) == ((Write((ToString(This(True), INTEGER),)),), [])


def test_the_object_itself_is_a_value_too() -> None:
    assert statements_of("{{ value.name }}") == statements_of("{{ name }}")


def test_a_syntax_error_is_the_only_problem() -> None:
    assert problems_of("{{ nothing }}{% if %}") == [
        ("MG501", "expected an expression, got 'end of statement block'", 19)
    ]


def test_every_statement_is_checked() -> None:
    template = "{{ one }}{{ name }}{% include 'x' %}{{ two }}"
    assert [(code, offset) for code, _, offset in problems_of(template)] == [("MG503", 3), ("MG502", 22), ("MG503", 39)]


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("{% macro m() %}{% endmacro %}", "`macro`"),
        ("{% block b %}{% endblock %}", "`block`"),
        ("{% filter upper %}{% endfilter %}", "a `filter` block"),
        ("{% set x %}{% endset %}", "a `set` block"),
        ("{% with %}{% endwith %}", "`with`"),
    ],
)
def test_statements_that_are_refused(template: str, name: str) -> None:
    assert problems_of(template) == [("MG502", f"{name} cannot be compiled", 3)]


def test_python_nests_only_so_many_loops() -> None:
    def nest(depth: int) -> str:
        return "{% for t in tags %}" * depth + "{{ t }}" + "{% endfor %}" * depth

    assert statements_of(nest(17)) != ()
    codes = [code for code, _, _ in problems_of(nest(18))]
    assert codes == ["MG502"]
