"""Walks over types and nodes."""

from __future__ import annotations

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
    can_contain_null,
    collect_refs,
    list_child_types,
    list_node_types,
    rebuild_node,
    rebuild_type,
    walk_type,
)

STRING, NULL, INTEGER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.NULL), Scalar(ScalarKind.INTEGER)
NESTED = Array(Union((Map(STRING), FixedArray((INTEGER, Ref("A"))), Ref("B"))), (("min_length", 1),))


def make_class(presence: Presence, type: Type, extra: Type | None = None) -> ObjectClass:
    return ObjectClass("C", "", ((),), (Field("p", type, presence),), extra)


@pytest.mark.parametrize(
    ("type", "children"),
    [
        (Array(STRING), (STRING,)),
        (Map(INTEGER), (INTEGER,)),
        (FixedArray((STRING, NULL)), (STRING, NULL)),
        (Union((STRING, NULL)), (STRING, NULL)),
        (Ref("A"), ()),
        (Choice(("a",)), ()),
    ],
)
def test_children(type: Type, children: tuple[Type, ...]) -> None:
    assert list_child_types(type) == children


def test_a_walk_meets_outer_types_before_inner_ones() -> None:
    assert list(walk_type(FixedArray((Array(STRING), Ref("A"))))) == [
        FixedArray((Array(STRING), Ref("A"))),
        Array(STRING),
        STRING,
        Ref("A"),
    ]


def test_references_come_once_and_in_order() -> None:
    assert collect_refs(NESTED, Ref("B"), Array(Ref("Z")), Ref("A")) == ["A", "B", "Z"]


def test_rebuilding_keeps_bounds_and_tags() -> None:
    def rename(type: Type) -> Type:
        return Ref(type.id.lower()) if isinstance(type, Ref) else rebuild_type(type, rename)

    assert rename(NESTED) == Array(
        Union((Map(STRING), FixedArray((INTEGER, Ref("a"))), Ref("b"))), (("min_length", 1),)
    )
    assert rename(Union((Ref("A"),), "kind")) == Union((Ref("a"),), "kind")


def test_types_of_nodes() -> None:
    node = make_class(Presence.REQUIRED, STRING, extra=INTEGER)
    alias = Alias("A", "", ((),), Array(Ref("A")))
    assert list_node_types(node) == (STRING, INTEGER)
    assert list_node_types(alias) == (Array(Ref("A")),)
    assert rebuild_node(node, lambda type: Array(type)) == replace(
        make_class(Presence.REQUIRED, Array(STRING)), extra=Array(INTEGER)
    )
    assert rebuild_node(alias, lambda _: ANY) == Alias("A", "", ((),), ANY)
    assert rebuild_node(make_class(Presence.REQUIRED, STRING), lambda _: ANY) == make_class(Presence.REQUIRED, ANY)


@pytest.mark.parametrize(
    ("type", "node", "expected"),
    [
        (STRING, None, False),
        (ANY, None, True),
        (Choice(("a", None)), None, True),
        (Array(Union((STRING, NULL))), None, True),
        (Ref("C"), make_class(Presence.REQUIRED, Ref("C")), False),
        (Ref("C"), make_class(Presence.OPTIONAL, STRING), False),
        (Ref("C"), make_class(Presence.OPTIONAL_NULLABLE, STRING), True),
        (Map(Ref("C")), make_class(Presence.REQUIRED, STRING, extra=NULL), True),
        (Ref("C"), Alias("C", "", ((),), Array(Ref("C"))), False),
    ],
)
def test_null_in_a_value(type: Type, node: Node | None, expected: bool) -> None:
    assert can_contain_null(type, {} if node is None else {"C": node}) is expected
