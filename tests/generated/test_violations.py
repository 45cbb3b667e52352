"""What is said of a violation against two independent validators: it is there, and it is what they find, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen_runtime.schema_check import SchemaCheck
from support.corpus import CORPUS
from support.json_schema_suite import DIALECTS, groups, keywords
from support.repository import needs_shared

SCHEMA = {
    "type": "object",
    "properties": {
        "place": {"$ref": "#/$defs/place"},
        "wind": {"anyOf": [{"$ref": "#/$defs/wind"}, {"type": "null"}]},
        "event": {
            "oneOf": [
                {
                    "properties": {"kind": {"const": "storm"}, "force": {"type": "integer"}},
                    "required": ["kind", "force"],
                },
                {"properties": {"kind": {"const": "calm"}}, "required": ["kind"]},
            ]
        },
        "days": {"type": "array", "items": {"type": "object", "properties": {"high": {"maximum": 60}}}, "maxItems": 3},
    },
    "required": ["place"],
    "additionalProperties": False,
    "$defs": {
        "place": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
        "wind": {"type": "object", "properties": {"speed": {"type": "number", "minimum": 0}}, "required": ["speed"]},
    },
}


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ({}, ["/place: is required"]),
        ({"place": 5}, ["/place: should be a string, got 5"]),
        ({"place": "Rome", "x": 1}, ["/x: there is no such property"]),
        ({"place": "Rome", "wind": {"speed": -1}}, ["/wind/speed: should be at least 0, got -1"]),
        ({"place": "Rome", "wind": {}}, ["/wind/speed: is required"]),
        ({"place": "Rome", "event": {"kind": "storm", "force": "8"}}, ['/event/force: should be an integer, got "8"']),
        (
            {"place": "Rome", "event": {}},
            ["/event: should match exactly one of 2 alternatives, got an object with 0 members"],
        ),
        ({"place": "Rome", "days": [{}, {"high": 99}]}, ["/days/1/high: should be at most 60, got 99"]),
        ({"place": "Rome", "days": [{}] * 4}, ["/days: should have at most 3 items, got an array of 4 items"]),
        (
            {"place": "r"},
            [
                '/place: should have at least 2 characters, got "r"',
                '/place: should match the pattern "^[A-Z]", got "r"',
            ],
        ),
        ([], ["should be an object, got an array of 0 items"]),
    ],
)  # fmt: skip
def test_what_is_said(value: Any, messages: list[str]) -> None:
    problems = SchemaCheck(SCHEMA).problems(value)
    assert [_line(problem) for problem in problems] == messages


def _line(problem: Any) -> str:
    place = "".join(f"/{token}" for token in problem.path)
    return f"{place}: {problem.message}" if place else problem.message


def test_a_valid_value_has_no_violations() -> None:
    assert SchemaCheck(SCHEMA).problems({"place": "Rome", "wind": None, "event": {"kind": "calm"}}) == []


def test_data_may_look_like_a_schema() -> None:
    schema = {"enum": [{"properties": 5}, {"$anchor": 1, "$id": []}], "type": "object"}
    (problem,) = SchemaCheck(schema).problems({})
    assert problem.keyword == "enum"


def _paths(errors: Any) -> set[tuple[str | int, ...]]:
    """Return the places that a validator of its own finds, those inside alternatives too."""
    paths: set[tuple[str | int, ...]] = set()
    todo = list(errors)
    while todo:
        error = todo.pop()
        paths.add(tuple(error.absolute_path))
        todo.extend(error.context or ())
    return paths


@needs_shared(*(f"corpus/json-schema-test-suite/tests/{dialect}" for dialect in DIALECTS))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_suite(dialect: str) -> None:
    """Something is said if and only if jsonschema-rs refuses a value, and the jsonschema library finds it there."""
    judge: Any = jsonschema.Draft7Validator if dialect == "draft7" else jsonschema.Draft202012Validator
    compared = unknown = 0
    for keyword in keywords(dialect):
        for group in groups(dialect, keyword):
            schema = group["schema"]
            if isinstance(schema, dict):
                schema = {"$schema": DIALECTS[dialect], **schema}
            try:
                schema_check = SchemaCheck(schema)
            except jsonschema_rs.ReferencingError:
                continue  # refers to another file, which mcpgen bundles before it builds
            except ValueError:
                continue
            for test in group["tests"]:
                problems = schema_check.problems(test["data"])
                assert bool(problems) != schema_check.is_valid(test["data"]), (keyword, group["description"])
                if not problems:
                    continue
                compared += 1
                unknown += any(problem.keyword == "schema" for problem in problems)
                try:
                    places = _paths(judge(schema).iter_errors(test["data"]))
                except Exception:
                    continue  # the library does not follow every reference
                for problem in problems:
                    length = len(problem.path)
                    told_places = {place[:length] for place in places} if problem.keyword == "schema" else places
                    there = problem.path in told_places or problem.path[:-1] in told_places
                    assert there, (keyword, group["description"], test["description"], problem)
    assert compared > 150
    assert unknown < compared / 8


@needs_shared("corpus/instances", "corpus/tools")
def test_the_corpus() -> None:
    """Invalid instances of real tools: what is said is at a place where jsonschema-rs has an error."""
    compared = 0
    for source in sorted((CORPUS / "instances").glob("*.json"))[::4]:
        tools = json.loads((CORPUS / "tools" / source.name).read_text("utf-8"))["tools"]
        schemas = {tool["name"]: tool.get("outputSchema") for tool in tools}
        for name, values in json.loads(Path(source).read_text("utf-8")).items():
            schema_check = SchemaCheck(schemas[name])
            for value in values["invalid"]:
                problems = schema_check.problems(value)
                assert problems, (source.name, name)
                assert all(problem.keyword != "schema" for problem in problems), (source.name, name, problems)
                compared += 1
            for value in values["valid"]:
                assert not schema_check.problems(value), (source.name, name)
    assert compared > 150


NUMBERS = {"type": "array", "items": {"type": "integer"}}
IN_REVERSE = {
    "allOf": [
        {"properties": {"h": NUMBERS, "g": {"additionalProperties": {"type": "integer"}}}},
        {"properties": {"f": {"patternProperties": {"b": {"type": "integer"}, "a": {"type": "integer"}}}}},
        *({"properties": {name: {"type": "integer"}}} for name in "edc"),
    ],
    "properties": {"b": {"type": "array", "items": {"$ref": "#/properties/a"}}, "a": NUMBERS},
}
"""A schema that names what a value may have in another order than the values."""
ITEMS = st.one_of(st.just(1), st.just("x"))
MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "a": st.lists(ITEMS, max_size=7),
    "b": st.lists(st.lists(ITEMS, max_size=3), max_size=3),
    **dict.fromkeys("cde", ITEMS),
    "f": st.dictionaries(st.sampled_from(["a", "b", "c", "ab"]), ITEMS),
    "g": st.dictionaries(st.sampled_from("abcdefgh"), ITEMS),
    "h": st.lists(ITEMS, max_size=7),
}


@st.composite
def draw_values(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.permutations([*MEMBERS]))
    return {name: draw(MEMBERS[name]) for name in names[: draw(st.integers(1, len(names)))]}


def _list_places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of a value in their order."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _list_places(item, (*path, key))


@given(draw_values())
@settings(max_examples=200, deadline=None)
def test_the_first_violations_are_those_of_the_value(value: dict[str, Any]) -> None:
    wrong = _paths(jsonschema.Draft202012Validator(IN_REVERSE).iter_errors(value))
    expected = [path for path in _list_places(value) if path in wrong]
    assert [problem.path for problem in SchemaCheck(IN_REVERSE).problems(value)] == expected[:5]
