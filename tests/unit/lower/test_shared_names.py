"""Names of classes that stand for several equal objects."""

from __future__ import annotations

from mcpgen.ir.types import ANY, NameOrigin, Node, ObjectClass, Sharing
from mcpgen.lower.shared_names import find_group_names

PATH, GIVEN, CHOSEN = NameOrigin.PATH, NameOrigin.GIVEN, NameOrigin.CHOSEN


def node(origin: NameOrigin, *candidates: tuple[str, ...], tail: int = 1) -> Node:
    sharing = Sharing("digest", "", candidates[-1][-tail:])
    return ObjectClass("id", "", candidates, (), ANY, name_origin=origin, sharing=sharing)


def test_the_last_property_comes_before_the_common_path_and_the_whole_paths() -> None:
    nodes = [node(PATH, ("a", "data", "wind")), node(PATH, ("b", "data", "wind"))]
    assert find_group_names(nodes) == (("wind",), ("data", "wind"), ("a", "data", "wind"), ("b", "data", "wind"))


def test_the_most_frequent_property_comes_first() -> None:
    nodes = [node(PATH, ("end",)), node(PATH, ("a", "start")), node(PATH, ("b", "start"))]
    assert find_group_names(nodes)[:2] == (("start",), ("end",))


def test_given_names_come_before_paths() -> None:
    nodes = [node(PATH, ("wind",)), node(PATH, ("wind",)), node(GIVEN, ("Wind reading",), ("reading",))]
    assert find_group_names(nodes) == (("Wind reading",), ("wind",), ("reading",))


def test_a_chosen_name_is_the_only_one() -> None:
    assert find_group_names([node(PATH, ("wind",)), node(CHOSEN, ("Storm",))]) == (("Storm",),)
