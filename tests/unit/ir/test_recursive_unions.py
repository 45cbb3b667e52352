"""Unions that values lead back to, by one or several members."""

from __future__ import annotations

import pytest
from mcpgen.ir.recursive_unions import RecursiveUnions
from mcpgen.ir.types import Alias, Array, FixedArray, Map, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union

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
