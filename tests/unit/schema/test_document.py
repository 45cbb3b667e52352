"""Walking over a schema document."""

from __future__ import annotations

from mcpgen.schema.document import META_SCHEMA_SAMPLE, SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
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
    document = SchemaDocument(True, DRAFT_2020_12)
    assert document.matches("b", "abc")
    assert not document.matches("^b", "abc")
    assert not document.matches("(", "(")
