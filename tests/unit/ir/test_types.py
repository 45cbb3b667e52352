"""Types of the IR, and visits of them."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

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
    Type,
    Union,
)
from mcpgen.ir.visitors import (
    RecursiveUnions,
    collect_refs,
    list_child_types,
    list_node_types,
    rebuild_node,
    rebuild_type,
    walk_type,
)


# --- types are values: equal and hashable by their content ------------------------------------------------------------
def test_types_with_equal_content_are_one_key() -> None:
    types = {Array(Scalar(ScalarKind.STRING)), Array(Scalar(ScalarKind.STRING)), Array(ANY)}
    assert len(types) == 2


def test_bounds_and_tags_are_part_of_a_type() -> None:
    assert Scalar(ScalarKind.INTEGER, (("ge", 0),)) != Scalar(ScalarKind.INTEGER)
    assert Union((Ref("a"), Ref("b")), "kind") != Union((Ref("a"), Ref("b")))


def test_types_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Choice(("a",)).values = ()  # type: ignore[misc]


def test_formats_are_named_as_in_json_schema() -> None:
    assert ScalarKind("date-time") is ScalarKind.DATE_TIME
    assert {presence.value for presence in Presence} == {"required", "optional", "optional_nullable"}


# --- unions that values lead back to, by one or several members -------------------------------------------------------
STRING, DEEP = Scalar(ScalarKind.STRING), Ref("deep")


def branches_back(*members: Type) -> bool:
    """Return whether the alias `deep`, a union of these members, branches back."""
    union = Union(members)
    nodes: dict[str, Node] = {
        "deep": Alias("deep", "", (("deep",),), union),
        "list": Alias("list", "", (("list",),), Array(DEEP)),
        "class": ObjectClass("class", "", (("class",),), (), DEEP),
        "other": ObjectClass("other", "", (("other",),), (), STRING),
    }
    return RecursiveUnions(nodes).branches_back(union)


@pytest.mark.parametrize(
    ("members", "branches"),
    [
        ((Array(DEEP), STRING), False),
        ((Array(DEEP), FixedArray((DEEP,))), True),
        ((Array(DEEP), Map(DEEP)), False),
        ((Array(DEEP), Array(STRING)), False),
        ((Array(DEEP), Ref("list")), True),
        ((Map(DEEP), Ref("class")), True),
        ((Map(DEEP), Ref("other")), False),
        ((STRING, Scalar(ScalarKind.NULL)), False),
    ],
)
def test_a_union_branches_back_by_two_members_of_a_kind(members: tuple[Type, ...], branches: bool) -> None:
    assert branches_back(*members) is branches


def test_a_class_leads_back_by_what_it_inherits() -> None:
    union = Union((Map(DEEP), Ref("class")))
    nodes: dict[str, Node] = {
        "deep": Alias("deep", "", (("deep",),), union),
        "base": ObjectClass("base", "", (("base",),), (), DEEP),
        "class": ObjectClass("class", "", (("class",),), (), None, base=Ref("base")),
    }
    assert RecursiveUnions(nodes).branches_back(union)


# --- walks over types and nodes ---------------------------------------------------------------------------------------
TEXT, NULL, INTEGER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.NULL), Scalar(ScalarKind.INTEGER)
NESTED = Array(Union((Map(TEXT), FixedArray((INTEGER, Ref("A"))), Ref("B"))), (("min_length", 1),))


def make_class(presence: Presence, type: Type, extra: Type | None = None) -> ObjectClass:
    return ObjectClass("C", "", ((),), (Field("p", type, presence),), extra)


@pytest.mark.parametrize(
    ("type", "children"),
    [
        (Array(TEXT), (TEXT,)),
        (Map(INTEGER), (INTEGER,)),
        (FixedArray((TEXT, NULL)), (TEXT, NULL)),
        (Union((TEXT, NULL)), (TEXT, NULL)),
        (Ref("A"), ()),
        (Choice(("a",)), ()),
    ],
)
def test_children(type: Type, children: tuple[Type, ...]) -> None:
    assert list_child_types(type) == children


def test_a_walk_meets_outer_types_before_inner_ones() -> None:
    assert list(walk_type(FixedArray((Array(TEXT), Ref("A"))))) == [
        FixedArray((Array(TEXT), Ref("A"))),
        Array(TEXT),
        TEXT,
        Ref("A"),
    ]


def test_references_come_once_and_in_order() -> None:
    assert collect_refs(NESTED, Ref("B"), Array(Ref("Z")), Ref("A")) == ["A", "B", "Z"]


def test_rebuilding_keeps_bounds_and_tags() -> None:
    def rename(type: Type) -> Type:
        return Ref(type.id.lower()) if isinstance(type, Ref) else rebuild_type(type, rename)

    assert rename(NESTED) == Array(Union((Map(TEXT), FixedArray((INTEGER, Ref("a"))), Ref("b"))), (("min_length", 1),))
    assert rename(Union((Ref("A"),), "kind")) == Union((Ref("a"),), "kind")


def test_types_of_nodes() -> None:
    node = make_class(Presence.REQUIRED, TEXT, extra=INTEGER)
    alias = Alias("A", "", ((),), Array(Ref("A")))
    assert list_node_types(node) == (TEXT, INTEGER)
    assert list_node_types(alias) == (Array(Ref("A")),)
    assert rebuild_node(node, lambda type: Array(type)) == replace(
        make_class(Presence.REQUIRED, Array(TEXT)), extra=Array(INTEGER)
    )
    assert rebuild_node(alias, lambda _: ANY) == Alias("A", "", ((),), ANY)
    assert rebuild_node(make_class(Presence.REQUIRED, TEXT), lambda _: ANY) == make_class(Presence.REQUIRED, ANY)
