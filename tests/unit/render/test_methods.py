"""Methods of generated classes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import Assign, Constant, Expr, For, If, Local, Statement, Subscript, Template, ToString, Write
from mcpgen.ir.types import ANY, Alias, Array, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.render.class_views import render_constructor_call
from mcpgen.render.content_view import render_text_method
from mcpgen.render.handlers import (
    NormalizeView,
    make_normalize_view,
    render_inner_expression,
)
from mcpgen.render.scope import Scope

# --- what `normalize` takes, and which steps it needs -----------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)


def make_class(wire: str, type: Type, extra: Type | None = None) -> ObjectClass:
    return ObjectClass("a", "", (("a",),), (Field(wire, type, Presence.REQUIRED),), extra)


def make_view(root: SchemaRoot, *nodes: Node) -> NormalizeView:
    nodes = (*nodes, *root.nodes)
    names = {node.id: node.id.upper() for node in nodes}
    typed_dicts = {node.id: f"{node.id.upper()}Dict" for node in nodes}
    return make_normalize_view(root, "Result", Scope(names, {node.id: node for node in nodes}, typed_dicts))


def test_an_object_without_members_of_a_result() -> None:
    view = make_view(SchemaRoot(Ref("a"), (make_class("x", STRING),), ()))
    assert view.returned == "Returned[Result | ADict]"
    assert (view.pairs, view.results, view.wrapper) == (True, True, False)


@pytest.mark.parametrize("wire", ["content", "structuredContent", "isError", "_meta", "meta"])
def test_an_object_with_a_member_of_a_result_is_not_taken_for_one(wire: str) -> None:
    assert make_view(SchemaRoot(Ref("a"), (make_class(wire, STRING),), ())).results is False


def test_a_tuple_is_a_value_where_arrays_are() -> None:
    assert make_view(SchemaRoot(STRING, (), ())).pairs is True
    assert make_view(SchemaRoot(ANY, (), ())).pairs is False
    assert make_view(SchemaRoot(Union((STRING, Array(STRING))), (), ())).pairs is False
    alias = Alias("b", "", (("b",),), Union((STRING, Array(Ref("b")))))
    assert make_view(SchemaRoot(Ref("b"), (alias,), ())).pairs is False


def test_a_map_may_be_any_mapping() -> None:
    node = ObjectClass("a", "", (("a",),), (), STRING)
    view = make_view(SchemaRoot(Ref("a"), (node,), ()))
    assert view.returned == "Returned[Result | ADict | Mapping[str, str]]"


def test_a_wrapped_value_may_be_bare() -> None:
    root = SchemaRoot(Ref("a"), (make_class("result", Array(STRING)),), (), wrapper=True)
    view = make_view(root)
    assert (view.returned, view.wrapper) == ("ReturnedArray[Result | ADict | list[str]]", True)
    assert render_inner_expression(root) == 'self.to_structured_content()["result"]'


# --- content templates as statements ----------------------------------------------------------------------------------
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


# --- calls that only mention what differs from the defaults -----------------------------------------------------------
@dataclass(frozen=True)
class Options:
    mode: str = "never"
    on: bool = True
    size: int | None = None


def test_defaults_are_left_out() -> None:
    assert str(render_constructor_call("Info", "a", Options())) == 'Info(__file__, "a")'


def test_other_values_are_keywords_in_the_order_of_the_fields() -> None:
    call = render_constructor_call("Info", 'a"b', Options(size=0, on=False, mode="always"))
    assert str(call) == 'Info(__file__, "a\\"b", mode="always", on=False, size=0)'
