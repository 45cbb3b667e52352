"""Ids of classes and aliases."""

from __future__ import annotations

from mcpgen.lower.node_ids import make_node_id
from mcpgen.lower.normalize.core import SchemaPlace


def test_an_id_does_not_depend_on_the_order_of_places() -> None:
    first, second = SchemaPlace("/a"), SchemaPlace("/b", frozenset(["anyOf", "allOf"]))
    assert make_node_id([first, second], ":") == make_node_id([second, first], ":") == ":/a&/b!allOf!anyOf"


def test_marks_in_pointers_are_escaped() -> None:
    places = [[SchemaPlace("/a&b")], [SchemaPlace("/a"), SchemaPlace("b")], [SchemaPlace("/a%26b")]]
    assert len({make_node_id(place, ":") for place in places}) == 3
