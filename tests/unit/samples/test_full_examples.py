"""The example that `show` draws has all properties, nested and optional ones included."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.context import DEEPEST_FULL
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12


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
