"""Content templates as statements."""

from __future__ import annotations

from mcpgen.ir.template import Assign, Constant, Expr, For, If, Local, Statement, Subscript, Template, ToString, Write
from mcpgen.ir.types import Scalar, ScalarKind
from mcpgen.render.scope import Scope
from mcpgen.render.template_method import render_text_method

SCOPE = Scope({}, {})
A, B = Local("a"), Local("b")


def render(*body: Statement) -> tuple[str, str]:
    statements, text = render_text_method(Template("t.j2", body), SCOPE)
    return str(statements), str(text)


def test_no_text_and_one_string_need_no_statements() -> None:
    assert render() == ("", '""')
    assert render(Write(("Low.",))) == ("", '"Low."')
    assert render(Write(("at ", A, "!"))) == ("", 'f"at {a}!"')
    assert render(Write((ToString(A, Scalar(ScalarKind.INTEGER)),))) == ("", "str(a)")


def test_a_string_for_each_line() -> None:
    assert render(Write(("one\n\ntwo ", A))) == ('parts = ["one\\n",f"\\ntwo {a}",]', '"".join(parts)')


def test_an_expression_with_quotes_stands_outside_of_the_f_string() -> None:
    quoted: Expr = Subscript(A, Constant("k"))
    assert render(Write(("x", quoted, "y")))[0] == 'parts = ["x",a["k"],"y",]'


def test_a_long_line_goes_on_in_another_string() -> None:
    long = Write(tuple(Local("a" * 30) for _ in range(3)))
    name = "{" + "a" * 30 + "}"
    assert render(long)[0] == f'parts = [f"{name}{name}",{"a" * 30},]'


def test_statements() -> None:
    body = For(("x",), A, (Write(("- ", B, "\n")),), index="i", test=B)
    statements, text = render(Write(("Start\n",)), body, Assign("c", A))
    assert text == '"".join(parts)'
    assert statements.split("\n") == [
        'parts = ["Start\\n",]',
        "for i, x in enumerate(a):",
        "    if b:",
        '        parts.append(f"- {b}\\n")',
        "c = a",
    ]


def test_branches_and_pairs() -> None:
    statements, _ = render(If(((A, (Assign("c", B),)), (B, ())), (Write(("x",)),)), For(("k", "v"), A, (), index="i"))
    assert statements.split("\n") == [
        "parts: list[str] = []",
        "if a:",
        "    c = b",
        "elif b:",
        "    pass",
        "else:",
        '    parts.append("x")',
        "for i, (k, v) in enumerate(a):",
        "    pass",
    ]
