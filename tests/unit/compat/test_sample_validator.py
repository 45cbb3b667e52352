"""Validation of samples: valid, invalid, or not to be decided."""

from __future__ import annotations

from mcpgen.compat.sample_validator import SampleValidator, Violation
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json


def test_values_and_their_violations() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"items": {"type": "string"}}}, "required": ["b"]}
    validator = SampleValidator(schema, DRAFT_2020_12)
    assert validator.is_valid({"a": ["x"], "b": 1}) is True
    assert validator.is_valid({"a": ["x", 1]}) is False
    violations = validator.list_violations({"a": ["x", 1]})
    assert set(violations) == {Violation((), "required", ("b",)), Violation(("a", "1"), "type")}


def test_formats_are_annotations() -> None:
    assert SampleValidator({"format": "date"}, DRAFT_2020_12).is_valid("no date") is True


def test_the_dialect_decides_which_keywords_count() -> None:
    schema: Json = {"dependentRequired": {"a": ["b"]}}
    assert SampleValidator(schema, DRAFT_2020_12).is_valid({"a": 1}) is False
    assert SampleValidator(schema, DRAFT_07).is_valid({"a": 1}) is True


def test_a_schema_that_cannot_be_compiled_decides_nothing() -> None:
    validator = SampleValidator({"$ref": "#/$defs/missing"}, DRAFT_2020_12)
    assert validator.is_valid(1) is None
    assert validator.list_violations(1) == []
