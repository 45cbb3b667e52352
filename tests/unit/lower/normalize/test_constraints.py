"""Combining the constraints of several parts."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.constraints import (
    ALL_TYPES,
    collect_keywords,
    intersect_lengths,
    intersect_number_bounds,
    intersect_types,
    intersect_values,
    list_required,
)
from mcpgen.lower.normalize.core import SchemaPart, SchemaPlace
from mcpgen.lower.normalize.findings import NormalizationFindings
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.values import Json


def make_parts(*schemas: dict[str, Json]) -> list[SchemaPart]:
    return [SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas)]


def make_findings() -> NormalizationFindings:
    return NormalizationFindings(LoweringLimits())


def test_keywords_and_required_names_are_collected() -> None:
    parts = make_parts({"type": "object", "required": ["a", "b"]}, {"minProperties": 1})
    assert collect_keywords(parts) == {"type", "required", "minProperties"}
    assert [list_required(part) for part in parts] == [["a", "b"], []]


@pytest.mark.parametrize(
    ("schemas", "types"),
    [
        ([{}], set(ALL_TYPES)),
        ([{"type": "string"}, {}], {"string"}),
        ([{"type": ["string", "integer"]}, {"type": ["integer", "null"]}], {"integer"}),
        ([{"type": "number"}, {"type": "integer"}], {"integer"}),
        ([{"type": ["number", "integer"]}], {"number"}),
        ([{"type": "string"}, {"type": "object"}], set()),
    ],
)
def test_types_are_intersected(schemas: list[dict[str, Json]], types: set[str]) -> None:
    assert intersect_types(make_parts(*schemas)) == types


@pytest.mark.parametrize(
    ("schemas", "types", "values"),
    [
        ([{"type": "string"}], {"string"}, None),
        ([{"enum": ["a", 1, None]}], {"string", "null"}, ["a", None]),
        ([{"enum": ["a", "b"]}, {"const": "b"}], {"string"}, ["b"]),
        ([{"enum": [1, True]}, {"enum": [1.0]}], {"number", "boolean"}, [1]),
        ([{"enum": [1.5, 2]}], {"integer"}, [2]),
        ([{"enum": [1.5, 2.0]}], {"number"}, [1.5, 2.0]),
    ],
)
def test_values_are_intersected(schemas: list[dict[str, Json]], types: set[str], values: list[Json] | None) -> None:
    assert intersect_values(make_parts(*schemas), types) == values


def test_the_tightest_lengths_hold() -> None:
    findings = make_findings()
    parts = make_parts({"minLength": 1, "maxLength": 9}, {"minLength": 3, "maxLength": 10.0})
    assert intersect_lengths(parts, "minLength", "maxLength", findings) == {"minLength": 3, "maxLength": 9}
    assert intersect_lengths(make_parts({"minItems": 0}), "minItems", "maxItems", findings) == {}
    assert findings.checks == []


def test_unsafe_bounds_are_left_to_the_check() -> None:
    findings = make_findings()
    assert intersect_lengths(make_parts({"maxLength": 2**60}), "minLength", "maxLength", findings) == {}
    assert intersect_number_bounds(make_parts({"minimum": -(2**60)}, {"maximum": 1e-301}), False, findings) == {}
    assert findings.checks == ["maxLength", "maximum", "minimum"]


@pytest.mark.parametrize(
    ("schemas", "whole", "bounds"),
    [
        ([{"minimum": 1}, {"minimum": 2.5}], False, {"minimum": 2.5}),
        ([{"minimum": 1}, {"minimum": 2.5}], True, {"minimum": 3}),
        ([{"exclusiveMaximum": 9.5}, {"maximum": 7.0}], True, {"maximum": 7}),
        ([{"exclusiveMinimum": 0}], True, {"exclusiveMinimum": 0}),
        ([{"exclusiveMaximum": 1}, {"exclusiveMaximum": 0.5}], False, {"exclusiveMaximum": 0.5}),
    ],
)
def test_the_tightest_number_bounds_hold(schemas: list[dict[str, Json]], whole: bool, bounds: dict[str, Json]) -> None:
    assert intersect_number_bounds(make_parts(*schemas), whole, make_findings()) == bounds
