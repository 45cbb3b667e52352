"""Roots that accept objects only."""

from __future__ import annotations

import pytest
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.object_roots import implies_object, make_object_schema
from mcpgen.schema.values import Json

OBJECT: dict[str, Json] = {"type": "object"}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": ["object"]},
        {"$ref": "#/$defs/A", "$defs": {"A": OBJECT}},
        {"$ref": "#a", "$defs": {"A": {"$anchor": "a", "allOf": [True, OBJECT]}}},
        {"allOf": [{}, {"anyOf": [OBJECT, {"$ref": "#/$defs/A"}]}], "$defs": {"A": {"const": {}}}},
        {"oneOf": [OBJECT, {"enum": [{}, {"a": 1}]}]},
        {"oneOf": [OBJECT, {"type": "object", "properties": {"next": {"$ref": "#"}}}]},
    ],
)
def test_objects_are_advertised_as_such(schema: Json) -> None:
    assert isinstance(schema, dict)
    assert implies_object(schema, DRAFT_2020_12)
    assert make_object_schema(schema, DRAFT_2020_12) == {**schema, "type": "object"}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": ["object", "null"]},
        {"properties": {"a": OBJECT}},
        {"anyOf": [OBJECT, {"type": "null"}]},
        {"enum": [{}, 1]},
        {"enum": []},
        {"oneOf": []},
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    ],
)
def test_others_are_wrapped(schema: Json) -> None:
    assert not implies_object(schema, DRAFT_2020_12)
    wrapped = make_object_schema(schema, DRAFT_2020_12)
    assert isinstance(wrapped, dict)
    assert wrapped["required"] == ["result"]


def test_in_draft_07_nothing_counts_beside_a_reference() -> None:
    schema: Json = {"$ref": "#/definitions/A", "allOf": [OBJECT], "definitions": {"A": {"minProperties": 1}}}
    assert not implies_object(schema, DRAFT_07)
    assert implies_object(schema, DRAFT_2020_12)


def test_a_long_chain_of_references_ends() -> None:
    definitions: dict[str, Json] = {f"A{n}": {"$ref": f"#/$defs/A{n + 1}"} for n in range(5_000)}
    schema: Json = {"$ref": "#/$defs/A0", "$defs": {**definitions, "A5000": OBJECT}}
    assert not implies_object(schema, DRAFT_2020_12)  # not followed to the end
