"""Remarks on output schemas."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.introspect.lint import lint_output_schema
from support.packages import tool

NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "remarks"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, []),
        ({"type": "object", "properties": {"a": NULLABLE}}, []),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/N"}}, "$defs": {"N": NULLABLE}}, []),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, ["/properties/a: a None in it is sent as null"]),
        ({"type": "object"}, ["an object about which nothing is said"]),
        ({"type": "object", "additionalProperties": True, "properties": {}}, ["an object about which nothing is said"]),
        ({"type": "object", "additionalProperties": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "integer"}}, ['its root does not say "type": "object"']),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "required": ["a"]}}}, ["its root does not say"]),
        (
            {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
            ["/properties/a: a NaN or infinity in it is sent as null"],
        ),
        ({"type": "object", "properties": {"a": {"type": ["number", "null"]}}, "required": ["a"]}, []),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a-b": {}, "c": {}}},
            ["/properties/a-b: it is refused if it is dumped by its Python name"],
        ),
        ({"type": "object", "properties": {"a-b": {}}}, []),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, ["its outputSchema is of a dialect"]),
        ({"type": "object", "properties": {"a": {"type": "strng"}}}, ["its outputSchema is not valid"]),
    ],
)
def test_remarks(schema: Any, remarks: list[str]) -> None:
    actual = lint_output_schema(tool("a", schema))
    assert len(actual) == len(remarks)
    assert all(str(item).startswith(start) for item, start in zip(actual, remarks, strict=True)), actual
