"""Finding branches that no value satisfies."""

from __future__ import annotations

import jsonschema_rs
import pytest
from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.satisfiability import SatisfiabilityChecker
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

KIND: Json = {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}
POSSIBLE: list[tuple[Json, Json]] = [
    (True, None),
    ({"enum": ["a", 1], "type": "integer"}, 1),
    ({"allOf": [KIND, {"properties": {"kind": {"enum": ["a", "b"]}}}]}, {"kind": "a"}),
    ({"allOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}, {}),
    ({"allOf": [{"required": ["a"]}, {"additionalProperties": False}]}, 1),  # no object has to be
    ({"type": "object", "required": ["a"], "patternProperties": {"a": {}}, "additionalProperties": False}, {"a": 1}),
    ({"anyOf": [False, {"type": "string"}]}, ""),
]
IMPOSSIBLE: list[Json] = [
    False,
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"enum": ["a"], "type": "integer"},
    {"allOf": [KIND, {"properties": {"kind": {"enum": ["b", "c"]}}}]},
    {"allOf": [KIND, {"properties": {"kind": {"type": "integer"}}}]},
    {"allOf": [KIND, {"additionalProperties": False}]},
    {"type": "object", "required": ["a"], "properties": {"a": False}},
    {"allOf": [KIND, {"anyOf": [{"type": "array"}, {"properties": {"kind": {"const": "b"}}}]}]},
]


def is_possible(schema: Json) -> bool:
    checker = SatisfiabilityChecker(create_context(schema, DRAFT_2020_12).places)
    return checker.is_possible((SchemaPlace(""),))


@pytest.mark.parametrize(("schema", "value"), POSSIBLE)
def test_what_a_value_satisfies_is_possible(schema: Json, value: Json) -> None:
    assert isinstance(schema, dict | bool)
    assert jsonschema_rs.is_valid(schema, value)
    assert is_possible(schema)


@pytest.mark.parametrize("schema", IMPOSSIBLE)
def test_contradictions_are_found(schema: Json) -> None:
    assert not is_possible(schema)


def test_what_cannot_be_decided_is_possible() -> None:
    assert is_possible({"type": "string", "minLength": 2, "maxLength": 1})
    assert is_possible({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}})
