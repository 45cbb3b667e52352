"""Modules of shared classes."""

from __future__ import annotations

from mcpgen.ir.types import Alias, Array, Node, ObjectClass, Presence, Ref
from mcpgen.ir.types import Field as IrField
from mcpgen.names.shared_modules import name_shared_modules


def make_class(id: str, *references: str) -> Node:
    fields = tuple(IrField(name, Ref(name), Presence.REQUIRED) for name in references)
    return ObjectClass(id, "", (), fields, None)


def test_each_class_has_a_module_of_its_own() -> None:
    nodes = [make_class("a", "b"), make_class("b"), Alias("c", "", (), Array(Ref("b")))]
    modules = name_shared_modules(nodes, {"a": "WindReading", "b": "Wind", "c": "Winds"})
    assert modules == {"a": "wind_reading", "b": "wind", "c": "winds"}


def test_classes_that_refer_to_each_other_share_one() -> None:
    nodes = [make_class("a", "b"), make_class("b", "c"), make_class("c", "a"), make_class("d", "a")]
    modules = name_shared_modules(nodes, {"a": "Tree", "b": "Branch", "c": "Leaf", "d": "Wood"})
    assert modules == {"a": "branch", "b": "branch", "c": "branch", "d": "wood"}


def test_names_that_make_one_module_share_it_with_their_circle() -> None:
    nodes = [make_class("a", "b"), make_class("b", "c"), make_class("c")]
    modules = name_shared_modules(nodes, {"a": "IDS", "b": "Other", "c": "Ids"})
    assert modules["a"] == modules["b"] == modules["c"]


def test_references_to_classes_that_are_not_shared_do_not_count() -> None:
    assert name_shared_modules([make_class("a", "elsewhere")], {"a": "Wind"}) == {"a": "wind"}
