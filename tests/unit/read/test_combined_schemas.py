"""Which schemas describe a value together with others."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.read.combined_schemas import find_combined_places
from mcpgen.schema.keywords import DRAFT_2020_12

CASES: list[tuple[Any, set[str]]] = [
    ({"properties": {"a": {"items": {"properties": {"b": {}}}}}}, set()),
    ({"allOf": [{"properties": {"b": {}}}]}, {"/allOf/0", "/allOf/0/properties/b"}),
    ({"if": {}, "then": {"required": ["a"]}}, {"/if", "/then"}),
    ({"anyOf": [{"required": ["a"]}, {}]}, set()),
    ({"anyOf": [{"required": ["a"]}], "properties": {}}, {"/anyOf/0"}),
    ({"type": "object", "oneOf": [{"required": ["a"]}]}, set()),
    ({"not": {"required": ["a"]}}, {"/not"}),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"title": "a"}}}, set()),
    ({"$ref": "#/$defs/A", "properties": {}, "$defs": {"A": {"title": "a"}}}, {"/$defs/A"}),
    ({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"items": {}}}}, {"/allOf/0", "/$defs/A", "/$defs/A/items"}),
    ({"properties": {"a": {"$ref": "#"}}}, set()),
    ({"allOf": [{"$ref": "#"}]}, {"", "/allOf/0"}),
    ({"properties": {"a": {"$ref": "#/nowhere"}}}, set()),
    ({"allOf": [{"$ref": "#/$defs/A%20b"}], "$defs": {"A b": {"title": "a"}}}, {"/allOf/0", "/$defs/A b"}),
    ({"allOf": [{"$ref": "#/$defs/A b"}], "$defs": {"A b": {"title": "a"}}}, {"/allOf/0", "/$defs/A b"}),
    ({"allOf": [{"$ref": "#a"}], "$defs": {"A": {"$anchor": "a"}}}, {"/allOf/0", "/$defs/A"}),
    ({"allOf": [{"$ref": "a.json"}], "$defs": {"A": {"$id": "a.json"}}}, {"/allOf/0", "/$defs/A"}),
    ({"allOf": [{"$dynamicRef": "#a"}], "$defs": {"A": {"$dynamicAnchor": "a"}}}, {"/allOf/0", "/$defs/A"}),
    ({"properties": {"a": {"$ref": "b.json"}}, "$defs": {"A": {"title": "a"}}}, {"/$defs/A"}),
]


@pytest.mark.parametrize(("schema", "places"), CASES)
def test_combined_places(schema: Any, places: set[str]) -> None:
    assert find_combined_places(schema, DRAFT_2020_12) == places


def test_all_of_a_schema_that_another_file_uses_may_be_combined() -> None:
    schema: Any = {"properties": {"a": {}}, "$defs": {"A": {}}}
    assert find_combined_places(schema, DRAFT_2020_12, is_part=True) == {"", "/properties/a"}
