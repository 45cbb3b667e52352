"""Schemas that are inferred from values, with two validators as judges."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.learn.inference import MAX_LEVELS, SchemaInference
from support import corpus

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEYS = st.one_of(
    st.sampled_from(["type", "kind", "a", "b", "c", "$ref", "$id", "__proto__", "properties", "", "a/b~c", "1", "2"]),
    TEXTS,
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    st.sampled_from(["x", "y", "2026-01-01", "2026-01-01T00:00:00Z", "::1", "a@example.com", "https://example.com"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
SHAPES = st.fixed_dictionaries(
    {"type": st.sampled_from(["x", "y"])}, optional={"a": SCALARS, "b": VALUES, "c": st.lists(SCALARS)}
)


def infer(*values: Any, enums: tuple[str, ...] = ()) -> dict[str, Any]:
    return SchemaInference(enums).infer_schema(values)


def check(schema: dict[str, Any], values: list[Any]) -> None:
    """Assert that a schema is one, and accepts values, formats included."""
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    judges = (
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER),
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True),
    )
    for value in values:
        assert [judge.is_valid(value) for judge in judges] == [True, True], (schema, value)


LISTS = st.one_of(st.lists(VALUES), st.lists(SHAPES, max_size=12), st.lists(st.one_of(SHAPES, SCALARS), max_size=14))


@settings(max_examples=60)
@given(LISTS)
def test_every_value_is_accepted(values: list[Any]) -> None:
    check_learned(values)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(LISTS)
def test_every_value_of_many_is_accepted(values: list[Any]) -> None:
    check_learned(values)


def check_learned(values: list[Any]) -> None:
    check(infer(*values), values)
    check(infer(*values, enums=("a", "type")), values)


def test_unions_with_other_values_are_exact() -> None:
    """The property test draws few unions, so here are all kinds of what can stand beside one."""
    union: list[Any] = [{"type": "x", "a": 1}, {"type": "y", "b": "2026-01-01"}] * 3
    cases: list[list[Any]] = [[], [None], ["a"], [[], [1]], [None, 1, 2.5, True, "x", []]]
    for others in cases:
        schema = infer(*union, *others)
        assert "oneOf" in schema
        check(schema, [*union, *others])
        assert not jsonschema_rs.is_valid(schema, {"type": "z", "a": 1})
        assert not jsonschema_rs.is_valid(schema, {"type": "x"})


@pytest.mark.parametrize(
    ("values", "schema"),
    [
        ([], {}),
        ([None], {}),
        ([1, 2], {"type": "integer"}),
        ([1, 2.0], {"type": "number"}),
        ([1.0], {"type": "number"}),
        ([True], {"type": "boolean"}),
        ([1, None], {"type": ["integer", "null"]}),
        (["a", 1, True, None, [], {}, 0.5], {"type": ["object", "array", "string", "number", "boolean", "null"]}),
        ([[]], {"type": "array"}),
        ([[1], [2.5]], {"type": "array", "items": {"type": "number"}}),
        ([{}], {"type": "object"}),
        (["2026-01-01", None], {"type": ["string", "null"], "format": "date"}),
        (["2026-01-01", "soon"], {"type": "string"}),
    ],
)
def test_types(values: list[Any], schema: dict[str, Any]) -> None:
    assert infer(*values) == schema


def test_presence_makes_a_property_required() -> None:
    assert infer({"a": 1, "b": None}, {"a": 2}) == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {}},
        "required": ["a"],
    }


def test_maps() -> None:
    assert infer({"2026-01-01": 1, "2026-01-02": None}) == {
        "type": "object",
        "additionalProperties": {"type": ["integer", "null"]},
    }


def test_unions_say_their_discriminator() -> None:
    schema = infer(*[{"kind": "a", "x": 1}, {"kind": "b", "y": ""}] * 3)
    assert schema == {
        "type": "object",
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}},
                "required": ["kind", "x"],
            },
            {
                "type": "object",
                "properties": {"kind": {"const": "b"}, "y": {"type": "string"}},
                "required": ["kind", "y"],
            },
        ],
    }


def test_enums_are_made_where_asked() -> None:
    values = [{"state": "on", "other": "x"}, {"state": "off", "other": "y"}, {"state": None, "other": "y"}]
    assert "enum" not in json.dumps(infer(*values))
    assert infer(*values, enums=("state",))["properties"] == {
        "state": {"type": ["string", "null"], "enum": ["off", "on", None]},
        "other": {"type": "string"},
    }
    assert infer({"state": "on"}, {"state": 1}, enums=("state",))["properties"]["state"] == {
        "type": ["string", "integer"]
    }


def test_keys_that_are_keywords_are_names_of_properties() -> None:
    hostile = {"$ref": "#/nowhere", "$id": "x", "$schema": 1, "__proto__": {"a": 1}, "": 0, "enum": [], "type": 3}
    check(infer(hostile), [hostile])
    assert set(infer(hostile)["properties"]) == set(hostile)


def test_large_numbers() -> None:
    values = [10**400, -(10**30), 2**63, 2**64, 1e308, 5e-324, -0.0, math.pi]
    check(infer(*values), values)
    check(infer(10**400), [10**400])


def nest(levels: int) -> Any:
    value: Any = {"end": "2026-01-01"}
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def measure_depth(value: Any) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(measure_depth, members), default=0)


def test_what_is_nested_deeper_than_a_file_may_be_is_left_open() -> None:
    deep = nest(250)
    check(infer(deep), [deep, nest(248)])
    assert "date" in json.dumps(infer(nest(MAX_LEVELS - 2)))
    values = [deep]
    for _ in range(100):
        values = [{"type": tag, tag: value} for value in values[:1] for tag in ("x", "y")] * 3
    assert measure_depth(infer(*values)) < 250


@pytest.mark.ci
def test_properties_and_objects_are_looked_at_once() -> None:
    objects = [{f"p{number}": number if number % 2 else "x"} for number in range(30_000)]
    assert len(infer(*objects)["properties"]) == 30_000, "the time limit of a test would end a loop in a loop"


@pytest.mark.ci
@pytest.mark.skipif(not corpus.SOURCES, reason="../shared/corpus is not there")
def test_half_of_the_instances_of_the_corpus_tells_the_other_half() -> None:
    """At least 60 tools accept all of the other half; what was learned from is accepted for every tool."""
    perfect = 0
    for source in corpus.SOURCES:
        path = corpus.CORPUS / "instances" / f"{source}.json"
        instances = json.loads(path.read_text("utf-8")) if path.exists() else {}
        for tool in corpus.tools_of(source):
            valid = instances.get(tool["name"], {}).get("valid", [])
            half = (len(valid) + 1) // 2
            if "outputSchema" in tool and len(valid) > 1 and any(valid[:half]):
                judge = jsonschema_rs.Draft202012Validator(infer(*valid[:half]))
                assert all(map(judge.is_valid, valid[:half])), (source, tool["name"])
                perfect += all(map(judge.is_valid, valid[half:]))
    assert perfect >= 600
