"""Unions that pydantic handles."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import (
    ANY,
    Array,
    Choice,
    Field,
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
from mcpgen.lower.assemble import add_tags, convert_to_strings, make_dumpable, remove_implied_null, separate_general

TEXT, NULL, DATE, UUID, NUMBER = (
    Scalar(kind) for kind in (ScalarKind.STRING, ScalarKind.NULL, ScalarKind.DATE, ScalarKind.UUID, ScalarKind.NUMBER)
)


@pytest.mark.parametrize(
    ("union", "expected"),
    [
        (Union((DATE, NULL)), Union((DATE, NULL))),
        (Union((DATE, UUID)), Union((DATE, UUID))),
        (Union((DATE, TEXT)), TEXT),
        (Union((DATE, Scalar(ScalarKind.ANY))), Union((TEXT, Scalar(ScalarKind.ANY)))),
        (Union((Array(DATE), Array(NUMBER))), Union((Array(TEXT), Array(NUMBER)))),
        (Union((DATE, Scalar(ScalarKind.BASE64), Array(DATE))), Union((TEXT, Array(TEXT)))),
        (Union((Array(Scalar(ScalarKind.BASE64)), NULL)), Union((Array(TEXT), NULL))),
    ],
)
def test_dates_are_strings_beside_what_cannot_be_told_from_them(union: Union, expected: Type) -> None:
    assert make_dumpable(union) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ((Array(DATE), NULL), (Array(DATE), NULL)),
        ((NUMBER, Array(DATE), DATE), (DATE, Array(DATE), NUMBER)),
        ((Choice(("now",)), Ref("A"), DATE, Map(UUID)), (DATE, Ref("A"), Map(UUID), Choice(("now",)))),
    ],
)
def test_dates_come_first_and_what_takes_every_value_last(
    members: tuple[Type, ...], expected: tuple[Type, ...]
) -> None:
    assert make_dumpable(Union(members)) == Union(expected)


def test_strings_replace_dates_everywhere_inside() -> None:
    assert convert_to_strings(Map(Array(UUID))) == Map(Array(TEXT))


@pytest.mark.parametrize(
    ("node", "presence", "expected"),
    [
        (Union((TEXT, NULL)), Presence.OPTIONAL_NULLABLE, TEXT),
        (Union((TEXT, UUID, NULL)), Presence.OPTIONAL_NULLABLE, Union((TEXT, UUID))),
        (Union((TEXT, NULL)), Presence.REQUIRED, Union((TEXT, NULL))),
        (NULL, Presence.OPTIONAL_NULLABLE, NULL),
    ],
)
def test_null_is_removed_where_the_presence_implies_it(node: Type, presence: Presence, expected: Type) -> None:
    assert remove_implied_null(node, presence) == expected


def make_class(key: str, kind: Type, presence: Presence = Presence.REQUIRED) -> ObjectClass:
    return ObjectClass(key, "", ((),), (Field("kind", kind, presence),), None)


def find_tag(*nodes: Node, extra: tuple[Type, ...] = ()) -> str | None:
    union = Union((*(Ref(node.id) for node in nodes), *extra))
    tagged = add_tags(Array(union), {node.id: node for node in nodes})
    assert isinstance(tagged, Array)
    assert isinstance(tagged.item, Union)
    return tagged.item.tag


def test_a_different_required_constant_is_the_tag() -> None:
    a, b = make_class("A", Choice(("a",))), make_class("B", Choice(("b",)))
    assert find_tag(a, b) == "kind"
    assert find_tag(a, b, extra=(NULL,)) == "kind"
    assert find_tag(a, b, extra=(TEXT,)) is None


def test_the_same_or_an_optional_constant_is_none() -> None:
    a = make_class("A", Choice(("a",)))
    assert find_tag(a, make_class("B", Choice(("a",)))) is None
    assert find_tag(a, make_class("B", Choice(("b",)), Presence.OPTIONAL)) is None
    assert find_tag(a, make_class("B", Choice((1,)))) is None
    assert find_tag(a, make_class("B", Choice(("b",))), make_class("C", TEXT)) is None


EVERY_TYPE = (Map(ANY), Array(ANY), *(Scalar(kind) for kind in (ScalarKind.BOOLEAN, ScalarKind.NUMBER)), TEXT, NULL)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ((Ref("A"), *EVERY_TYPE), (Ref("A"), ANY)),
        ((TEXT, Ref("A"), Ref("B"), *EVERY_TYPE), (Union((Ref("A"), Ref("B"))), ANY)),
        ((Map(ANY), NULL, Ref("A"), Ref("B")), (Union((Ref("A"), Ref("B"))), NULL, Map(ANY))),
        ((Array(Ref("A")), *EVERY_TYPE), (Array(Ref("A")), ANY)),
        ((Ref("A"), Ref("B"), NULL), (Ref("A"), Ref("B"), NULL)),
        ((Map(TEXT), Ref("A")), (Map(TEXT), Ref("A"))),
    ],
)
def test_classes_come_before_what_accepts_their_objects_too(
    members: tuple[Type, ...], expected: tuple[Type, ...]
) -> None:
    assert separate_general(Union(members)) == Union(expected)
