"""The order of the classes in a module."""

from __future__ import annotations

from mcpgen.ir.types import Alias, Array, Field, Node, ObjectClass, Presence, Ref, Type
from mcpgen.render.class_order import find_incomplete, sort_by_dependency, sort_by_use


def make_nodes(**references: str) -> dict[str, Node]:
    """Return a class for each name, with a property for each letter that it refers to."""
    return {
        name: ObjectClass(name, "", ((name,),), tuple(Field(ref, Ref(ref), Presence.OPTIONAL) for ref in refs), None)
        for name, refs in references.items()
    }


def test_heads_come_first_and_then_classes_as_they_are_used() -> None:
    nodes = make_nodes(d="", c="d", b="", a="cb", z="b")
    assert sort_by_use(nodes, ["a", "z"], [Ref("a"), Ref("z")]) == ["a", "z", "c", "d", "b"]


def test_a_root_that_is_no_class_is_followed_by_the_classes_that_it_refers_to() -> None:
    root: Type = Array(Ref("b"))
    assert sort_by_use(make_nodes(z="", b="a", a=""), ["z"], [root, Ref("z")]) == ["z", "b", "a"]


def test_classes_that_refer_to_each_other_and_classes_of_other_modules() -> None:
    nodes = make_nodes(a="bx", b="a", c="")
    assert sort_by_use(nodes, ["a", "x"], [Ref("x")]) == ["a", "b", "c"]
    assert sort_by_dependency(nodes) == ["b", "a", "c"]


def test_a_class_is_incomplete_while_it_refers_to_a_later_one() -> None:
    nodes = make_nodes(a="b", b="c", c="", d="a")
    nodes["e"] = Alias("e", "", (("e",),), Array(Ref("c")))
    assert find_incomplete(["a", "b", "c", "d", "e"], nodes) == {"a", "b", "d"}
