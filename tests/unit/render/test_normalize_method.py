"""What `normalize` takes, and which steps it needs."""

from __future__ import annotations

import pytest
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, Alias, Array, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.render.normalize_method import (
    NormalizeView,
    make_normalize_view,
    render_inner_expression,
    render_items_expression,
)
from mcpgen.render.scope import Scope

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
    assert render_items_expression(root) == 'self.to_structured_content()["result"]'


def test_items_need_an_array() -> None:
    assert render_items_expression(SchemaRoot(Array(STRING), (), ())) == "self.to_structured_content()"
    assert render_items_expression(SchemaRoot(STRING, (), ())) is None
