"""Ids of classes and aliases."""

from __future__ import annotations

import pytest
from mcpgen.lower.node_ids import list_definition_pointers, make_node_id, split_node_id
from mcpgen.lower.normalize.core import SchemaPlace


def test_an_id_does_not_depend_on_the_order_of_places() -> None:
    first, second = SchemaPlace("/a"), SchemaPlace("/b", frozenset(["anyOf", "allOf"]))
    assert make_node_id([first, second], ":") == make_node_id([second, first], ":") == ":/a&/b!allOf!anyOf"


def test_an_id_is_split_into_kind_and_places() -> None:
    assert split_node_id("output:/a~1b") == (":", "/a~1b")
    assert split_node_id("input~/$defs/A") == ("~", "/$defs/A")
    with pytest.raises(ValueError, match="nothing"):
        split_node_id("nothing")


def test_definitions_are_found_whatever_their_names() -> None:
    places = [SchemaPlace("/$defs/a&b!c%21/properties/x", frozenset(["$ref"])), SchemaPlace("/$defs/D")]
    _, text = split_node_id("output" + make_node_id(places, ":"))
    assert sorted(list_definition_pointers(text)) == ["/$defs/D", "/$defs/a&b!c%21"]
