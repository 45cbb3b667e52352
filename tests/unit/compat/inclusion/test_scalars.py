"""Inclusion of scalars: bounds, kinds and sets of values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from mcpgen.compat.inclusion.certainty import (
    DEEPEST_EMPTINESS_CHECK,
    is_empty,
    is_empty_kind,
)
from mcpgen.compat.inclusion.conjunction import MOST_ENUMERATED, NumberBound
from mcpgen.compat.inclusion.keyword_rules import NUMBER_RULES, STRING_RULES
from mcpgen.compat.inclusion.schema_view import VALUE_KINDS
from mcpgen.schema.keywords import expand_types
from support.compat import conjoin, find_rule_gaps, make_view


# --- gaps of keywords for strings and numbers -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ({}, {"minLength": 2}, [("MIN_LENGTH", {"maxLength": 1}, True)]),
        ({"minLength": 2}, {"minLength": 2}, []),
        ({}, {"maxLength": 2}, [("MAX_LENGTH", {"minLength": 3}, True)]),
        ({}, {"pattern": "^a"}, [("PATTERN", None, False)]),
        ({"pattern": "^a"}, {"pattern": "^a"}, []),
        ({}, {"pattern": ""}, []),
    ],
)
def test_strings(producer: Any, consumer: Any, expected: list[tuple[str, Any, bool]]) -> None:
    gaps = find_rule_gaps(STRING_RULES, producer, consumer, "string")
    assert [(gap.kind.name, gap.witness_schema, gap.certain) for gap in gaps] == expected


@pytest.mark.parametrize(
    ("kind", "producer", "consumer", "expected"),
    [
        ("number", {}, {"minimum": 1}, [("MINIMUM", {"type": "number", "exclusiveMaximum": 1})]),
        ("number", {"minimum": 1}, {"exclusiveMinimum": 1}, [("MINIMUM", {"type": "number", "maximum": 1})]),
        ("number", {"exclusiveMinimum": 1}, {"minimum": 1}, []),
        ("integer", {"exclusiveMinimum": 0}, {"minimum": 1}, []),
        ("number", {"exclusiveMinimum": 0}, {"minimum": 1}, [("MINIMUM", {"type": "number", "exclusiveMaximum": 1})]),
        ("integer", {"maximum": 1.5}, {"maximum": 1}, []),
        ("number", {"maximum": 2}, {"exclusiveMaximum": 2}, [("MAXIMUM", {"type": "number", "minimum": 2})]),
        ("integer", {"multipleOf": 6}, {"multipleOf": 3}, []),
        ("integer", {"multipleOf": 3}, {"multipleOf": 6}, [("MULTIPLE", {"type": "integer"})]),
        ("integer", {}, {"multipleOf": 1}, []),
        ("number", {"multipleOf": 0.5}, {"multipleOf": 0.5}, []),
    ],
)
def test_numbers(kind: str, producer: Any, consumer: Any, expected: list[tuple[str, Any]]) -> None:
    gaps = find_rule_gaps(NUMBER_RULES, producer, consumer, kind)
    assert [(gap.kind.name, gap.witness_schema) for gap in gaps] == expected


# --- the tightest bounds under several subschemas ---------------------------------------------------------------------
def test_the_tightest_bounds_win() -> None:
    parts = conjoin({"allOf": [{"minimum": 1, "maximum": 5}, {"exclusiveMinimum": 1, "maximum": 4.5}]})
    low, high = parts.bounds
    assert low == NumberBound(Fraction(1), True)
    assert high == NumberBound(Fraction(9, 2), False)


def test_an_excluded_upper_bound_is_tighter() -> None:
    parts = conjoin({"maximum": 5, "exclusiveMaximum": 5})
    assert parts.bounds == (None, NumberBound(Fraction(5), True))


def test_sizes_are_integers() -> None:
    parts = conjoin({"allOf": [{"minLength": 1, "maxLength": 9}, {"minLength": 2.0, "maxLength": 7}]})
    assert parts.find_size("minLength", "maxLength") == (2, 7)
    assert parts.find_size("minItems", "maxItems") == (0, None)


# --- kinds of values that subschemas admit ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        (True, set(VALUE_KINDS)),
        (False, set()),
        ({"type": "number"}, {"number", "integer"}),
        ({"enum": [1.0, "a", 0.5]}, {"integer", "string", "number"}),
        ({"anyOf": [{"type": "null"}, {"const": []}]}, {"null", "array"}),
        ({"allOf": [{"type": ["null", "string"]}, {"type": ["object", "string"]}]}, {"string"}),
        ({"type": ["null", "string"], "not": {"type": "null"}}, {"string"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}}, {"array"}),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, set(VALUE_KINDS)),
    ],
)
def test_kinds(schema: Any, kinds: set[str]) -> None:
    view = make_view(schema)
    assert view.find_kinds(view.root) == kinds


def test_a_recursive_reference_ends() -> None:
    view = make_view({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
    assert view.find_kinds(view.root) == set(VALUE_KINDS)


def test_number_includes_integer() -> None:
    assert expand_types(["number", "null"]) == {"number", "integer", "null"}
    assert expand_types(["integer"]) == {"integer"}


# --- values of a kind: few enough to be listed, or none ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "kind", "values"),
    [
        ({}, "null", [None]),
        ({}, "boolean", [False, True]),
        ({"not": {"const": True}}, "boolean", [False]),
        ({"enum": [1, "a", 2]}, "integer", [1, 2]),
        ({"minimum": 0.5, "exclusiveMaximum": 3}, "integer", [1, 2]),
        ({"minimum": 1, "maximum": MOST_ENUMERATED + 1}, "integer", None),
        ({"minimum": 1}, "integer", None),
        ({"maxItems": 0}, "array", [[]]),
        ({"items": False}, "array", [[]]),
        ({"maxProperties": 0}, "object", [{}]),
        ({"additionalProperties": False}, "object", [{}]),
        ({}, "object", None),
        ({"maxLength": 0}, "string", [""]),
        ({"minimum": 1, "maximum": 1}, "number", None),
    ],
)
def test_listed_values(schema: Any, kind: str, values: Any) -> None:
    assert conjoin(schema).list_values(kind) == values


@pytest.mark.parametrize(
    ("schema", "kind", "empty"),
    [
        ({"type": "string"}, "integer", True),
        ({"enum": ["a"], "minLength": 2}, "string", True),
        ({"minLength": 3, "maxLength": 2}, "string", True),
        ({"minimum": 3, "maximum": 2}, "number", True),
        ({"minimum": 2, "exclusiveMaximum": 2}, "number", True),
        ({"minimum": 2, "maximum": 2}, "number", False),
        ({"minItems": 1, "items": False}, "array", True),
        ({"required": ["a"], "additionalProperties": False}, "object", True),
        ({"required": ["a"], "properties": {"a": {"minLength": 1, "maxLength": 0, "type": "string"}}}, "object", True),
        ({"required": ["a"], "properties": {"a": {"type": "string"}}}, "object", False),
    ],
)
def test_empty_kinds(schema: Any, kind: str, empty: bool) -> None:
    assert is_empty_kind(conjoin(schema), kind) is empty


def test_a_conjunction_is_empty_if_all_its_kinds_are() -> None:
    assert is_empty(
        conjoin({"type": ["string", "array"], "minLength": 1, "maxLength": 0, "minItems": 1, "items": False})
    )
    assert not is_empty(conjoin({"type": ["string", "array"], "minLength": 1, "maxLength": 0}))


def test_required_properties_are_checked_to_a_depth() -> None:
    schema: Any = False
    verdicts: list[bool] = []
    for _ in range(DEEPEST_EMPTINESS_CHECK + 1):
        schema = {"type": "object", "required": ["a"], "properties": {"a": schema}}
        verdicts.append(is_empty(conjoin(schema)))
    assert verdicts == [True, True, True, False]


def test_a_schema_that_requires_itself_is_not_followed_forever() -> None:
    assert not is_empty(conjoin({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}))
