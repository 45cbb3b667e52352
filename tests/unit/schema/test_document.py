"""Walking over a schema document."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.schema.document import META_SCHEMA_SAMPLE, SchemaDocument, SchemaLocation, matches_pattern
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.object_roots import has_object_type, implies_object, make_object_schema, wrap_schema
from mcpgen.schema.values import Json


def test_keywords_are_read_by_their_type() -> None:
    place = SchemaLocation("", (), {"minimum": 1, "maximum": True, "properties": [], "required": ["a"]})
    assert (place.get("minimum"), place.get("none")) == (1, None)
    assert (place.get_number("minimum"), place.get_number("maximum")) == (1, None)
    assert (place.get_object("properties"), place.get_array("required")) == ({}, ["a"])
    assert place.has("properties")
    assert not SchemaLocation("", (), True).has("properties")


def test_subschemas_know_their_pointer_and_scope() -> None:
    schema: Json = {"$id": "https://a/", "properties": {"a/b": {"$id": "c", "items": {}}}}
    document = SchemaDocument(schema, DRAFT_2020_12)
    place = document.get_subschema(document.root, "properties", "a/b")
    assert (place.at, place.scope) == ("/properties/a~1b", ("https://a/", "https://a/c"))
    assert document.get_subschema(place, "items").scope == place.scope


def list_targets(schema: dict[str, Json], dialect: str = DRAFT_2020_12) -> list[tuple[str, Json]]:
    document = SchemaDocument(schema, dialect)
    return [(place.at, place.schema) for place in document.follow_references(document.root)]


def test_references_are_followed() -> None:
    assert list_targets({"$ref": "#/$defs/A", "$defs": {"A": True}}) == [("/$defs/A", True)]
    assert list_targets({}) == []
    assert list_targets({"$ref": DRAFT_2020_12}) == [("", META_SCHEMA_SAMPLE)]


def test_dynamic_references_lead_to_the_outermost_anchor() -> None:
    schema: Json = {
        "$id": "https://a/outer",
        "$ref": "inner",
        "$defs": {
            "Outer": {"$dynamicAnchor": "node", "type": "string"},
            "Inner": {
                "$id": "inner",
                "$dynamicRef": "#node",
                "$defs": {"Default": {"$dynamicAnchor": "node", "type": "null"}},
            },
        },
    }
    document = SchemaDocument(schema, DRAFT_2020_12)
    (inner,) = document.follow_references(document.root)
    (target,) = document.follow_references(inner)
    assert target.at == "/$defs/Outer"
    alone = document.get_subschema(SchemaLocation("", (), schema), "$defs", "Inner")
    assert [place.at for place in document.follow_references(alone)] == ["/$defs/Inner/$defs/Default"]


def test_draft_07_has_no_dynamic_references() -> None:
    assert list_targets({"$dynamicRef": "#"}, DRAFT_07) == []


def test_values_are_validated_by_subschemas() -> None:
    document = SchemaDocument({"properties": {"a": {"type": "string", "format": "date"}}}, DRAFT_2020_12)
    place = document.get_subschema(document.root, "properties", "a")
    assert document.is_valid(place, "no date")
    assert not document.is_valid(place, 1)
    assert not document.is_valid(document.root, {"a": 1})


def test_patterns_match_anywhere_in_a_text() -> None:
    assert matches_pattern("b", "abc")
    assert not matches_pattern("^b", "abc")
    assert not matches_pattern("(", "(")


# --- roots that accept objects only -----------------------------------------------------------------------------------
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
        {"type": "string", "anyOf": [OBJECT, OBJECT]},
        {"type": ["number", "null"], "enum": [{}]},
        {"type": ["string", "null"], "$ref": "#/$defs/A", "$defs": {"A": OBJECT}},
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


# --- wrapping schemas as `{"result": …}` ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "is_object"), [({"type": "object"}, True), ({"type": ["object"]}, False), ({}, False), (True, False)]
)
def test_only_a_literal_object_type_counts(schema: Json, is_object: bool) -> None:
    assert has_object_type(schema) is is_object


def test_references_lead_into_the_result() -> None:
    schema: Json = {"$schema": DRAFT_2020_12, "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#"}}}
    assert wrap_schema(schema, DRAFT_2020_12) == {
        "$schema": DRAFT_2020_12,
        "type": "object",
        "properties": {
            "result": {
                "items": {"$ref": "#/properties/result/$defs/A"},
                "$defs": {"A": {"$ref": "#/properties/result"}},
            }
        },
        "required": ["result"],
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"$id": "https://a/b", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "null"}}},
        {"items": {"$ref": "#a"}, "$defs": {"A": {"$anchor": "a", "type": "null"}}},
        {"items": {"$ref": "a"}, "$defs": {"A": {"$id": "a", "$ref": "#/x", "x": {"type": "null"}}}},
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "null"}}, "enum": [[None], {"$ref": "#"}]},
    ],
)
def test_a_wrapped_schema_accepts_the_same_values(schema: dict[str, Json]) -> None:
    plain = jsonschema_rs.Draft202012Validator(schema)
    wrapper = wrap_schema(schema, DRAFT_2020_12)
    assert isinstance(wrapper, dict)
    wrapped = jsonschema_rs.Draft202012Validator(wrapper)
    values: list[Json] = [[None], [1], {"$ref": "#"}]
    assert [wrapped.is_valid({"result": value}) for value in values] == [plain.is_valid(value) for value in values]
    assert not wrapped.is_valid({})


def test_anchors_of_draft_07_are_no_base() -> None:
    schema: dict[str, Json] = {"$id": "#a", "items": {"$ref": "#/definitions/A"}, "definitions": {"A": True}}
    wrapped = wrap_schema(schema, DRAFT_07)
    assert isinstance(wrapped, dict)
    assert wrapped["properties"] == {"result": {**schema, "items": {"$ref": "#/properties/result/definitions/A"}}}


def test_booleans_are_wrapped() -> None:
    assert wrap_schema(True, DRAFT_2020_12) == {
        "type": "object",
        "properties": {"result": True},
        "required": ["result"],
    }
