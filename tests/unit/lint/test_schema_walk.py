"""Walks over the schemas of a definition visit each schema once, with its pointer."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.lint.rule import LintedDefinition
from mcpgen.lint.schema_walk import describe_place, get_types, walk_input_objects, walk_parameters, walk_places
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"if": {"type": "string"}, "flag": True},
    "allOf": [{"required": ["if"]}],
}
TOOL = LintedDefinition("tool", "find", {"name": "find"}, Schema(SCHEMA, DRAFT_2020_12))


def test_places_are_in_the_order_of_the_document() -> None:
    places = [(place.pointer, place.keyword) for place in walk_places(Schema(SCHEMA, DRAFT_2020_12))]
    assert places == [
        ("", ""),
        ("/properties/if", "properties"),
        ("/properties/flag", "properties"),
        ("/allOf/0", "allOf"),
    ]


def test_objects_of_the_input_are_without_booleans() -> None:
    pointers = [pointer for pointer, _, _ in walk_input_objects(TOOL)]
    assert pointers == ["/inputSchema", "/inputSchema/properties/if", "/inputSchema/allOf/0"]
    assert [*walk_input_objects(LintedDefinition("prompt", "ask", {"name": "ask"}))] == []


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    assert [pointer for pointer, _, _ in walk_parameters(TOOL)] == ["/inputSchema", "/inputSchema/properties/if"]


def test_types_are_a_list() -> None:
    schemas: list[dict[str, Any]] = [{}, {"type": "null"}, {"type": ["null"]}]
    assert [get_types(schema) for schema in schemas] == [[], ["null"], ["null"]]


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("/inputSchema/properties/a~1b", '"a/b"'),
        ("/inputSchema/properties/a/items", '"a"'),
        ("/inputSchema/anyOf/0", "an object in it"),
        ("/inputSchema", "its root"),
    ],
)
def test_a_place_has_the_name_of_its_property(pointer: str, name: str) -> None:
    assert describe_place(pointer) == name
