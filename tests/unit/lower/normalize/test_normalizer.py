"""Normalizing whole schemas."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.lower.normalize.core import NormalizedSchema
from mcpgen.lower.normalize.limits import LoweringLimits, SchemaTooLarge
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

VALUES: list[Json] = [None, True, 0, 1, 1.5, -3, "", "a", "abc", [], [1], ["a", 1], {}, {"a": 1}, {"a": "x", "b": None}]


def normalize(schema: Json, **limits: int) -> NormalizedSchema:
    return normalize_schema(schema, DRAFT_2020_12, "A", limits=LoweringLimits(**limits))


def make_core_schema(normalized: NormalizedSchema) -> dict[str, Json]:
    """Return the JSON Schema that a normalized schema means."""
    definitions: dict[str, Json] = {key: alias.core for key, alias in normalized.aliases.items()}
    for key, core_class in normalized.classes.items():
        definitions[key] = {
            "type": "object",
            "properties": {prop.wire: prop.core for prop in core_class.properties},
            "required": [prop.wire for prop in core_class.properties if prop.presence.value == "required"],
            "additionalProperties": False if core_class.extra is None else core_class.extra,
        }
    return {**normalized.root, "$defs": definitions}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "null"}},
        {"anyOf": [{"type": "string", "minLength": 2}, {"type": "array", "items": {"type": "integer"}}]},
        {"type": ["integer", "null"], "minimum": 0.5},
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
        {"enum": [1, "a", None, [1]]},
        {"type": "object", "propertyNames": {"const": "a"}},
        {"not": {"type": "string"}},
        {"type": "object", "minProperties": 2, "patternProperties": {"^a": {"type": "integer"}}},
    ],
)
def test_the_core_schema_accepts_what_the_schema_accepts(schema: dict[str, Json]) -> None:
    """It accepts no less; and no more where no check is needed."""
    normalized = normalize(schema)
    exact = jsonschema_rs.validator_for(schema)
    core = jsonschema_rs.validator_for(make_core_schema(normalized))
    for value in VALUES:
        if exact.is_valid(value):
            assert core.is_valid(value), value
        elif not normalized.checks:
            assert not core.is_valid(value), value


def test_a_root_object_is_a_class_although_it_declares_nothing() -> None:
    assert normalize({"type": "object"}).root == {"$ref": "#/$defs/AC0"}


def test_an_impossible_root_object_is_an_open_class() -> None:
    normalized = normalize({"type": "object", "allOf": [False]})
    assert normalized.root == {"$ref": "#/$defs/AC0"}
    assert normalized.checks == ["type"]


def test_the_description_comes_from_behind_references() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string", "description": "An A."}}}
    assert normalize(schema).description == "An A."


def test_limits_are_raised() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": True}}}}
    with pytest.raises(SchemaTooLarge):
        normalize(schema, classes=1)
