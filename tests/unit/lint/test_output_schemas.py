"""Remarks on output schemas."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.lint.output_schemas import lint_output_schema
from support.packages import tool

NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "remarks"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, []),
        ({"type": "object", "properties": {"a": NULLABLE}}, []),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/N"}}, "$defs": {"N": NULLABLE}}, []),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["/properties/a: if the value is None, SDKs send null"],
        ),
        ({"type": "object"}, ["the schema says nothing about the object"]),
        (
            {"type": "object", "additionalProperties": True, "properties": {}},
            ["the schema says nothing about the object"],
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "integer"}}, ['the root lacks "type": "object"']),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "required": ["a"]}}}, ["the root lacks"]),
        (
            {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
            ["/properties/a: if the number is NaN or infinite, SDKs send null"],
        ),
        ({"type": "object", "properties": {"a": {"type": ["number", "null"]}}, "required": ["a"]}, []),
        (
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"oneOf": [{"type": "number"}]}, {"type": "null"}]}},
                "required": ["a"],
            },
            [],
        ),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "default": []}}}, []),
        (
            {"type": "object", "properties": {"a": {"type": "string", "default": None}}},
            ["/properties/a: if the value is None, SDKs send null"],
        ),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a-b": {}, "c": {}}},
            ["/properties/a-b: SDKs may send its Python name instead"],
        ),
        ({"type": "object", "properties": {"a-b": {}}}, []),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, ["the outputSchema was not examined"]),
        ({"type": "object", "properties": {"a": {"type": "strng"}}}, ["the outputSchema is invalid"]),
    ],
)
def test_remarks(schema: Any, remarks: list[str]) -> None:
    actual = lint_output_schema(tool("a", schema))
    assert len(actual) == len(remarks)
    assert all(str(item).startswith(start) for item, start in zip(actual, remarks, strict=True)), actual
