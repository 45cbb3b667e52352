"""Drawn values: mostly valid, near misses often not, examples always; jsonschema-rs is the judge."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import hypothesis
import hypothesis.strategies as st
import jsonschema_rs
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json
from support import corpus

RESOURCES: dict[str, Any] = {
    "$id": "https://example.org/strict-tree",
    "$dynamicAnchor": "node",
    "$ref": "tree",
    "unevaluatedProperties": False,
    "$defs": {
        "tree": {
            "$id": "tree",
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {"data": True, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        }
    },
}

SCHEMAS: dict[str, Any] = {
    "types": {"type": ["integer", "null", "array"]},
    "enum": {"enum": [1, "a", None, {"b": [True]}]},
    "const": {"const": {"a": [1, 2.5]}},
    "required": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
    "closed": {"properties": {"a": {"type": "null"}}, "additionalProperties": False, "type": "object"},
    "typed additional": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    "patternProperties": {
        "type": "object",
        "patternProperties": {"^x-[a-z]+$": {"type": "boolean"}, "b$": {"const": True}},
        "additionalProperties": False,
        "minProperties": 1,
    },
    "propertyNames": {"type": "object", "propertyNames": {"pattern": "^[a-c]{2,3}$"}, "minProperties": 2},
    "counts": {"type": "object", "properties": {c: {} for c in "abcdef"}, "minProperties": 2, "maxProperties": 3},
    "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 4},
    "prefixItems": {"type": "array", "prefixItems": [{"type": "null"}, {"const": 1}], "items": {"type": "string"}},
    "closed tuple": {"type": "array", "prefixItems": [{"type": "boolean"}], "items": False, "minItems": 1},
    "contains": {"type": "array", "contains": {"const": "x"}, "minContains": 2, "maxContains": 2},
    "uniqueItems": {"type": "array", "items": {"enum": [1, 2, 3, True]}, "uniqueItems": True, "minItems": 3},
    "unevaluatedItems": {"type": "array", "prefixItems": [{"const": 1}], "unevaluatedItems": {"type": "string"}},
    "lengths": {"type": "string", "minLength": 9, "maxLength": 11},
    "long pattern": {"type": "string", "pattern": "^[0-9a-f]+$", "minLength": 24, "maxLength": 24},
    "pattern": {"type": "string", "pattern": r"^(ab|c\d{2,4})_?[^a-z]\s(?:x|y)*\.$"},
    "Unicode pattern": {"type": "string", "pattern": r"^\p{Lu}[\p{L}\p{N}]+é\u00e9$"},
    "integer bounds": {"type": "integer", "exclusiveMinimum": 3, "maximum": 7},
    "real bounds": {"type": "number", "minimum": 0.25, "exclusiveMaximum": 0.5},
    "big": {"type": "integer", "minimum": 10**25},
    "multipleOf": {"type": "integer", "multipleOf": 7, "minimum": 15},
    "real multipleOf": {"type": "number", "multipleOf": 0.25, "maximum": 3},
    "two multiples": {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "type": "integer"},
    "anyOf": {"anyOf": [{"type": "string", "minLength": 2}, {"type": "array", "items": {"type": "null"}}]},
    "oneOf": {"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 8}]},
    "allOf": {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"a": {"minimum": 9}}},
        ]
    },
    "not": {"type": ["string", "integer"], "not": {"type": "string"}},
    "not together": {"properties": {"a": {}, "b": {}}, "type": "object", "not": {"required": ["a", "b"]}},
    "if": {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["only_a"]},
        "else": {"required": ["only_b"]},
    },
    "dependentRequired": {"properties": {"a": {}}, "type": "object", "dependentRequired": {"a": ["b", "c"]}},
    "dependentSchemas": {
        "type": "object",
        "properties": {"a": {}},
        "dependentSchemas": {"a": {"required": ["b"], "properties": {"b": {"const": 1}}}},
    },
    "dependencies": {
        "$schema": DRAFT_07,
        "type": "object",
        "properties": {"a": {}},
        "dependencies": {"a": ["b"], "b": {"properties": {"b": {"type": "null"}}}},
    },
    "draft-07 tuple": {
        "$schema": DRAFT_07,
        "type": "array",
        "items": [{"type": "integer"}, {"type": "null"}],
        "additionalItems": {"type": "string"},
        "minItems": 3,
    },
    "draft-07 reference": {
        "$schema": DRAFT_07,
        "properties": {"a": {"$ref": "#/definitions/s", "type": "null"}},
        "required": ["a"],
        "type": "object",
        "definitions": {"s": {"type": "string"}},
    },
    "reference with siblings": {
        "$ref": "#/$defs/a",
        "required": ["x"],
        "$defs": {
            "a": {"type": "object", "properties": {"x": {"$ref": "#there"}}},
            "b": {"$anchor": "there", "const": 5},
        },
    },
    "recursion": {
        "type": "object",
        "properties": {"left": {"$ref": "#"}, "right": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "required": ["right"],
        "additionalProperties": False,
    },
    "wide recursion": {"type": "array", "items": {"$ref": "#"}, "minItems": 0},
    "dynamic": RESOURCES,
    "embedded": {
        "$id": "https://example.org/root",
        "$ref": "item.json",
        "$defs": {"i": {"$id": "item.json", "$ref": "#/$defs/n", "$defs": {"n": {"type": "integer", "minimum": 3}}}},
    },
    "meta-schema": {"$ref": DRAFT_2020_12},
    "boolean": True,
    "formats": {"type": "object", "properties": {"a": {"type": "string", "format": "date-time"}}, "required": ["a"]},
    "unevaluatedProperties": {
        "allOf": [{"properties": {"a": {"type": "integer"}}}],
        "properties": {"b": {}},
        "type": "object",
        "unevaluatedProperties": False,
    },
}


def judge(schema: Any) -> Any:
    kind = jsonschema_rs.Draft7Validator if detect_dialect(schema) == DRAFT_07 else jsonschema_rs.Draft202012Validator
    return kind(schema, validate_formats=False, offline=True)


def drawer(schema: Any) -> ValueGenerator:
    return ValueGenerator(schema, detect_dialect(schema) or DRAFT_2020_12)


@pytest.mark.parametrize("name", SCHEMAS)
def test_values_are_valid_and_near_ones_are_not_always(name: str) -> None:
    schema, random = SCHEMAS[name], Random(1)
    valid, draws = judge(schema), drawer(schema)
    values = [draws.draw_value(random) for _ in range(100)]
    assert sum(map(valid.is_valid, values)) >= 95
    assert len({json.dumps(value) for value in values}) > 1 or name == "const"
    near = [draws.mutate_value(value, random) for value in values]
    assert all(map(valid.is_valid, near)) == (schema is True)
    assert valid.is_valid(draws.find_example())


def test_a_change_leaves_the_value_itself_alone() -> None:
    draws, random = drawer({}), Random(0)
    value: Json = {"a": [1, {"b": ["x", None]}], "c": {"d": 1.5}}
    before = json.dumps(value)
    changed = {json.dumps(draws.mutate_value(value, random)) for _ in range(300)}
    assert json.dumps(value) == before
    assert len(changed) > 100
    assert all(json.dumps(json.loads(text), allow_nan=False) == text for text in changed)


def test_the_same_seed_draws_the_same() -> None:
    for schema in SCHEMAS.values():
        once, again = drawer(schema), drawer(schema)
        assert [once.draw_value(Random(n)) for n in range(5)] == [again.draw_value(Random(n)) for n in range(5)]
        assert once.find_example() == again.find_example()


def test_examples_are_small_and_speak() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "station": {"type": "string", "examples": ["Oslo Blindern"]},
            "days": {"type": "array", "items": {"type": "object", "properties": {"high": {"type": "number"}}}},
            "limit": {"type": "integer", "default": 20},
            "level": {"type": "integer", "minimum": 5},
        },
        "required": ["city"],
    }
    assert drawer(schema).find_example() == {
        "city": "city",
        "unit": "celsius",
        "station": "Oslo Blindern",
        "days": [{"high": 1}],
        "limit": 20,
        "level": 5,
    }


@pytest.mark.ci
@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"$schema": DRAFT_07, "type": "array", "items": [{}], "minItems": 10**9},
        {"enum": []},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"type": "array", "items": {"type": "null"}, "uniqueItems": True, "minItems": 2},
        {"type": "object", "properties": {c: {"$ref": "#"} for c in "abcdefgh"}, "required": list("abcdefgh")},
        {"type": "string", "minLength": 10**12},
        {"type": "object", "minProperties": 10**12},
        {"type": "integer", "minimum": 4, "maximum": 3},
    ],
)
def test_what_nothing_satisfies_ends(schema: Any) -> None:
    draws = drawer(schema)
    assert not judge(schema).is_valid(draws.draw_value(Random(0)))
    assert draws.find_example() is None


@hypothesis.given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCHEMAS)))
@hypothesis.settings(deadline=None, max_examples=50, derandomize=True)
def test_hypothesis_can_choose(random: Random, name: str) -> None:
    draws = drawer(SCHEMAS[name])
    assert json.dumps(draws.mutate_value(draws.draw_value(random), random), allow_nan=False)


@pytest.mark.ci
@pytest.mark.skipif(not corpus.SOURCES, reason="the corpus is not beside the project")
def test_real_tools() -> None:
    drawn = valid = 0
    without: list[str] = []
    for source in corpus.SOURCES:
        for tool in corpus.tools_of(source):
            for side in ("inputSchema", "outputSchema"):
                if side not in tool:
                    continue
                schema = tool[side]
                check, draws, random = judge(schema), drawer(schema), Random(0)
                drawn += 5
                valid += sum(check.is_valid(draws.draw_value(random)) for _ in range(5))
                if not check.is_valid(draws.find_example()):
                    without.append(f"{source}: {tool['name']}")
    assert valid > 0.99 * drawn > 5_000
    assert len(without) <= 5, without
