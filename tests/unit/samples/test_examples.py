"""Examples of schemas: valid, small, the same every time, and what the schema itself says where it says something."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.context import DEEPEST_FULL
from mcpgen.samples.generator import MOST_EXAMPLE_BYTES, ValueGenerator, find_example_text
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from support import corpus

CHECKED = jsonschema_rs.Draft202012Validator


def find(schema: Any, needs_formats: bool = False) -> Any:
    text = find_example_text(Schema(schema, DRAFT_2020_12), needs_formats)
    return ... if text is None else json.loads(text)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "examples": ["Oslo", "Ulm"]}, "Oslo"),
        ({"type": "string", "examples": [1, "", "Ulm"], "minLength": 1}, "Ulm"),
        ({"type": "integer", "default": 7}, 7),
        ({"type": "integer", "examples": [0], "default": 7, "minimum": 1}, 7),
        ({"const": "fixed"}, "fixed"),
        ({"enum": ["first", "second"]}, "first"),
        ({"type": "null"}, None),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "examples": [{"a": "x", "b": 1}]},
            {"a": "x", "b": 1},
        ),
        (
            {"type": "object", "properties": {"city": {"type": "string", "examples": ["Oslo"]}, "n": {"default": 3}}},
            {"city": "Oslo", "n": 3},
        ),
        # a wrong example of one property does not cost the right one of another
        (
            {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "examples": ["Oslo"]},
                    "code": {"type": "string", "pattern": "^[A-Z]{2}$", "examples": ["no"]},
                },
                "required": ["city", "code"],
            },
            {"city": "Oslo", "code": "QZ"},
        ),
        ({"$ref": "#/$defs/City", "$defs": {"City": {"type": "string", "examples": ["Ulm"]}}}, "Ulm"),
    ],
)
def test_the_schemas_own_examples_come_first(schema: Any, expected: Any) -> None:
    assert find(schema) == expected
    assert CHECKED(schema).is_valid(find(schema))


def test_strings_have_their_formats_where_that_is_possible() -> None:
    schema = {"type": "string", "format": "date-time", "examples": ["tomorrow"]}
    assert CHECKED(schema, validate_formats=True).is_valid(find(schema))
    fixed = {"const": "tomorrow", "type": "string", "format": "date-time"}
    assert find(fixed) == "tomorrow"
    assert find(fixed, needs_formats=True) is ...  # a class with native formats could not read it


@pytest.mark.ci
@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "string", "minLength": 5, "maxLength": 4},
        {"type": "array", "items": {"type": "integer"}, "minItems": MOST_EXAMPLE_BYTES},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
    ],
)
def test_where_nothing_is_found_within_the_bounds_there_is_no_example(schema: Any) -> None:
    assert find(schema) is ...


def test_an_example_that_is_too_long_makes_room_for_a_drawn_one() -> None:
    schema = {"type": "string", "examples": ["x" * MOST_EXAMPLE_BYTES]}
    assert len(find(schema)) < 100


@pytest.mark.ci
@pytest.mark.skipif(not corpus.SOURCES, reason="../shared is not here")
def test_examples_of_real_tools_are_valid() -> None:
    for tool in (tool for source in corpus.SOURCES for tool in corpus.tools_of(source)):
        for schema in (tool["inputSchema"], tool.get("outputSchema", True)):
            text = find_example_text(Schema(schema, detect_dialect(schema) or DRAFT_2020_12))
            assert text is not None, tool["name"]
            assert jsonschema_rs.validator_for(schema).is_valid(json.loads(text)), tool["name"]


def test_examples_depend_on_nothing_but_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {name: {"type": ["string", "integer"], "format": "date"} for name in "abcdefgh"},
        "required": [*"gcafb"],
        "dependentRequired": {"a": ["b", "h"], "c": ["d", "e"]},
        "patternProperties": {"^x": {"type": "number"}},
        "minProperties": 8,
    }
    script = (
        "import json, sys\n"
        "from mcpgen.samples.generator import find_example_text\n"
        "from mcpgen.schema.document import Schema\n"
        f"print(find_example_text(Schema(json.load(sys.stdin), {DRAFT_2020_12!r})))\n"
    )
    output = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(schema),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(output) == 1
    assert CHECKED(schema).is_valid(json.loads(output.pop()))


# --- the example that `show` draws has all properties, nested and optional ones included ------------------------------
def make_schema(random: Random, depth: int = 0) -> dict[str, Any]:
    """Make a schema of nested objects and arrays, at most three deep, with some of the properties required."""
    kind = random.choice(("string", "integer", "boolean", "object", "object", "array"))
    if depth == 0 or (kind == "object" and depth < 3):
        names = [f"p{index}" for index in range(random.randint(1, 3))]
        required = [name for name in names if random.random() < 0.5]
        properties = {name: make_schema(random, depth + 1) for name in names}
        return {"type": "object", "properties": properties, "required": required}
    if kind == "array" and depth < 3:
        return {"type": "array", "items": make_schema(random, depth + 1)}
    return {"type": "integer" if kind in ("object", "array") else kind}


def list_missing(schema: dict[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """Yield the places of declared properties that a value does not have."""
    if schema["type"] == "array":
        if not value:
            yield f"{path}[]"
        for item in value:
            yield from list_missing(schema["items"], item, f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from list_missing(inner, value[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}"


@pytest.mark.parametrize("seed", range(60))
def test_an_example_has_every_property(seed: int) -> None:
    schema = make_schema(Random(seed))
    example = ValueGenerator(schema, DRAFT_2020_12).find_example()
    jsonschema_rs.validate(schema, example)
    assert [*list_missing(schema, example)] == []


def test_an_example_of_a_recursive_schema_ends() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "parent": {"$ref": "#"}},
        "required": ["name"],
    }
    example: Any = ValueGenerator(schema, DRAFT_2020_12).find_example()
    depth = 0
    while "parent" in example:
        example, depth = example["parent"], depth + 1
    assert 1 <= depth <= DEEPEST_FULL + 1


def test_properties_that_exclude_each_other_still_have_an_example() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "place": {"type": "integer"}},
        "oneOf": [{"required": ["city"]}, {"required": ["place"]}],
    }
    example = ValueGenerator(schema, DRAFT_2020_12).find_example()
    jsonschema_rs.validate(schema, example)
    assert example is not None
