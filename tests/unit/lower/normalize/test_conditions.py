"""Finding properties that are declared under a condition."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.conditions import find_conditional_properties
from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json

A: Json = {"properties": {"a": {}}}
B: Json = {"properties": {"b": {}}}


@pytest.mark.parametrize(
    ("schema", "dialect", "expected"),
    [
        (A, DRAFT_2020_12, {}),
        ({"if": A}, DRAFT_2020_12, {"a": ["/if/properties/a"]}),
        ({"then": A, "else": B}, DRAFT_2020_12, {}),
        ({"if": {}, "then": A, "else": B}, DRAFT_2020_12, {"a": ["/then/properties/a"], "b": ["/else/properties/b"]}),
        (
            {"if": {}, "then": A, "else": {"if": {}, "then": A}},
            DRAFT_2020_12,
            {"a": ["/then/properties/a", "/else/then/properties/a"]},
        ),
        ({"dependentSchemas": {"x/y": A}}, DRAFT_2020_12, {"a": ["/dependentSchemas/x~1y/properties/a"]}),
        ({"dependencies": {"x": ["y"], "z": A}}, DRAFT_07, {"a": ["/dependencies/z/properties/a"]}),
        (
            {"anyOf": [A, {"allOf": [B]}]},
            DRAFT_2020_12,
            {"a": ["/anyOf/0/properties/a"], "b": ["/anyOf/1/allOf/0/properties/b"]},
        ),
        ({"if": {"properties": {"a": False}}, "not": B}, DRAFT_2020_12, {}),
        (
            {"if": {"$ref": "#"}, "then": {"$ref": "#/$defs/A"}, "$defs": {"A": A}},
            DRAFT_2020_12,
            {"a": ["/$defs/A/properties/a"]},
        ),
    ],
)
def test_properties_by_the_places_that_declare_them(schema: Json, dialect: str, expected: dict[str, list[str]]) -> None:
    places = create_context(schema, dialect).places
    conditional_properties = find_conditional_properties(places.list_parts([SchemaPlace("")]), places)
    assert {
        name: [place.pointer for place in property_places] for name, property_places in conditional_properties.items()
    } == expected
