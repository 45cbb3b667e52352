"""URI templates as expressions and as parts to match."""

from __future__ import annotations

import pytest
from mcpgen.ir.uri_template import UriExpression, UriTemplatePart
from mcpgen.render.uri_expressions import (
    MAX_TERMS,
    UriQuery,
    UriVariable,
    make_match_parts,
    render_match_part,
    render_uri_expression,
)


@pytest.mark.parametrize(
    ("template", "expression"),
    [
        (("x://a",), '"x://a"'),
        (("x://", UriExpression("", ("a",))), '"x://" + uri_templates.unreserved(a)'),
        ((UriExpression("+", ("a", "b")),), 'uri_templates.reserved(a) + "," + uri_templates.reserved(b)'),
        (
            ("x:", UriExpression("/", ("a", "b"))),
            '"x:/" + uri_templates.unreserved(a) + "/" + uri_templates.unreserved(b)',
        ),
        ((UriExpression(";", ("a",)),), '";" + uri_templates.parameter("a", a)'),
        (("x:", UriExpression("?", ("a", "b"))), '"x:" + uri_templates.query("?", ("a", a), ("b", b))'),
    ],
)
def test_expansion(template: tuple[UriTemplatePart, ...], expression: str) -> None:
    assert render_uri_expression(template, {"a": "a", "b": "b"}) == expression


def test_a_long_sum_is_joined() -> None:
    template = tuple(UriExpression("", ("a",)) for _ in range(MAX_TERMS + 1))
    assert render_uri_expression(template, {"a": "a"}).startswith('"".join((uri_templates.unreserved(a), ')


def test_parts_to_match() -> None:
    template = ("x://", "a", UriExpression("/", ("b",)), UriExpression(";", ("c",)), UriExpression("?", ("d",)))
    parts = make_match_parts(template)
    assert parts == [
        "x://a/",
        UriVariable("b", False, ""),
        ";c",
        UriVariable("c", False, "="),
        UriQuery("?", ("d",)),
    ]
    assert [str(render_match_part(part)) for part in parts] == [
        '"x://a/"',
        'uri_templates.Variable("b")',
        '";c"',
        'uri_templates.Variable("c", lead="=")',
        'uri_templates.Query("?", ("d",))',
    ]
    assert str(render_match_part(UriVariable("e", True, ""))) == 'uri_templates.Variable("e", reserved=True)'
