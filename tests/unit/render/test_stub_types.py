"""Types of the IR as plain JSON data, and TypedDicts of its classes."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from mcpgen.ir.types import (
    ANY,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Union,
)
from mcpgen.render.scope import Scope
from mcpgen.render.stub_types import StubTypeView, list_reached_nodes, make_stub_types, render_stub_annotation

STRING, INTEGER, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NULL)


def make_class(name: str, *fields: Field, extra: Any = None, base: Ref | None = None) -> ObjectClass:
    return ObjectClass(name, "", ((name,),), fields, extra, base=base)


def make_scope(*nodes: Node) -> Scope:
    return Scope({node.id: node.id.title() for node in nodes}, {node.id: node for node in nodes})


def make_views(*nodes: Node) -> list[StubTypeView]:
    return [*make_stub_types(nodes, make_scope(*nodes), lambda node, wire: "minimum 1" if wire == "count" else "")]


@pytest.mark.parametrize(
    ("type", "annotation"),
    [
        (STRING, "str"),
        (Scalar(ScalarKind.DATE_TIME), "str"),
        (Scalar(ScalarKind.BASE64), "str"),
        (Scalar(ScalarKind.NUMBER, (("ge", 1),)), "float"),
        (ANY, "Any"),
        (Choice(("a", 1, None)), 'Literal["a", 1, None]'),
        (Choice((None,)), "None"),
        (Array(Union((INTEGER, NULL))), "list[int | None]"),
        (FixedArray((STRING, Map(ANY))), "tuple[str, dict[str, Any]]"),
        (FixedArray(()), "tuple[()]"),
        (Union((NULL, Ref("place"))), "Place | None"),
    ],
)
def test_annotations_are_those_of_json_data(type: Any, annotation: str) -> None:
    assert render_stub_annotation(type, make_scope(make_class("place"))) == annotation
    ast.parse(annotation)


def test_members_are_required_unless_most_are_not() -> None:
    required, optional = (Field("a", STRING, Presence.REQUIRED), Field("b", STRING, Presence.OPTIONAL))
    nullable = Field("c", INTEGER, Presence.OPTIONAL_NULLABLE)
    (half,) = make_views(make_class("x", required, optional))
    assert (half.is_total, [member.annotation for member in half.members]) == (True, ["str", "NotRequired[str]"])
    (few,) = make_views(make_class("x", required, optional, nullable))
    assert (few.is_total, [member.annotation for member in few.members]) == (
        False,
        ["Required[str]", "str", "int | None"],
    )


def test_a_member_says_what_its_name_does_not() -> None:
    fields = [
        Field("count", INTEGER, Presence.REQUIRED, "The count."),
        Field("size", INTEGER, Presence.REQUIRED, "In metres."),
        Field("name", STRING, Presence.REQUIRED),
    ]
    (view,) = make_views(make_class("x", *fields))
    assert [str(member.comment) for member in view.members] == ["[minimum 1]", "In metres.", "None"]


@pytest.mark.parametrize("wire", ["from", "in-country", "__x", "größe", "int"])
def test_names_that_no_class_body_can_have_are_strings(wire: str) -> None:
    (view,) = make_views(make_class("x", Field(wire, INTEGER, Presence.REQUIRED)))
    assert not view.is_class
    (view,) = make_views(make_class("x", Field("plain", INTEGER, Presence.REQUIRED)))
    assert view.is_class


def test_other_members_of_a_known_type() -> None:
    field = Field("a", STRING, Presence.REQUIRED)
    assert [view.others for view in make_views(make_class("x", field, extra=INTEGER))] == ["int"]
    assert [view.others for view in make_views(make_class("x", field, extra=ANY))] == [None]
    assert [view.type for view in make_views(make_class("x", extra=INTEGER))] == ["dict[str, int]"]
    assert [view.type for view in make_views(make_class("x", extra=ANY))] == ["dict[str, Any]"]
    (closed,) = make_views(make_class("x"))
    assert (closed.type, closed.base, closed.members) == (None, "TypedDict", [])


def test_a_class_that_inherits_and_an_alias() -> None:
    base = make_class("base", Field("a", STRING, Presence.REQUIRED))
    alias = Alias("tree", "", (("tree",),), Union((STRING, Array(Ref("tree")))))
    views = make_views(make_class("x", base=Ref("base")), base, alias)
    assert [(view.name, view.base, view.type) for view in views] == [
        ("X", "Base", None),
        ("Base", "TypedDict", None),
        ("Tree", "TypedDict", "list[Tree] | str"),
    ]


def test_nodes_are_reached_in_the_order_of_a_reader() -> None:
    leaf = make_class("leaf")
    branch = make_class("branch", Field("leaf", Ref("leaf"), Presence.REQUIRED))
    root = make_class("root", *(Field(key, Array(Ref(key)), Presence.OPTIONAL) for key in ("branch", "other", "root")))
    nodes: dict[str, Node] = {node.id: node for node in (leaf, make_class("other"), root, branch, make_class("unused"))}
    assert [node.id for node in list_reached_nodes([Ref("root")], nodes)] == ["root", "branch", "leaf", "other"]
