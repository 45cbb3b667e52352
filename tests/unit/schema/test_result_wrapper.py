"""Wrapping schemas as `{"result": …}`."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema
from mcpgen.schema.values import Json


@pytest.mark.parametrize(
    ("schema", "is_object"),
    [({"type": "object"}, True), ({"type": ["object"]}, False), ({}, False), (True, False)],
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
