"""The cost of a check by the schema alone, against jsonschema-rs: a keyword of ours counts how often it is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any, cast

import jsonschema_rs
import pytest
from mcpgen.config.models import Limits
from mcpgen.read import check_cost
from mcpgen.read.check_cost import measure_check_cost
from mcpgen.schema.keywords import DRAFT_2020_12, iterate_subschemas

NAMES = ("a", "b")


def random_schema(random: Random, depth: int = 0) -> dict[str, Any]:
    """Schemas of keywords that apply others, in place and below, with references to each other and back."""
    schema: dict[str, Any] = {}
    for keyword in random.sample(["allOf", "anyOf", "oneOf", "not", "if", "properties", "items", "$ref"], 2):
        inner = [random_schema(random, depth + 1) for _ in range(2)] if depth < 3 else [{}, {}]
        if keyword in ("allOf", "anyOf", "oneOf"):
            schema[keyword] = inner
        elif keyword == "if":
            schema |= {"if": inner[0], "then": inner[1]}
        elif keyword == "properties":
            schema[keyword] = dict(zip(NAMES, inner, strict=True))
        elif keyword == "$ref":
            schema[keyword] = f"#/$defs/{random.choice('xyz')}"
        else:
            schema[keyword] = inner[0]
    if random.random() < 0.2:
        schema["unevaluatedProperties"] = random.choice([False, {"type": "string"}])
    return schema


def make_random_document(seed: int) -> dict[str, Any]:
    random = Random(seed)
    return {**random_schema(random), "$defs": {name: random_schema(random) for name in "xyz"}}


def counted(schema: Any, calls: Counter[int]) -> Any:
    """A copy of a schema in which every subschema counts the values that it is asked about."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    for path, inner in iterate_subschemas(schema, DRAFT_2020_12):
        holder: Any = out
        for token in path[:-1]:
            copied = holder[token]
            holder[token] = copied.copy()
            holder = holder[token]
        holder[int(path[-1]) if type(holder) is list else path[-1]] = counted(inner, calls)
    return {"x-counted": True, **out}


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(100, 300), marks=pytest.mark.slow)])
def test_no_part_is_looked_at_more_often_than_the_schema_says(seeds: range) -> None:
    for seed in seeds:
        compare_cost(seed)


def compare_cost(seed: int) -> None:
    schema = make_random_document(seed)
    cost = measure_check_cost(schema, DRAFT_2020_12)
    if cost.repeats > Limits.model_validate({}).repeats:  # does not build
        return
    calls: Counter[int] = Counter()

    class Count:
        def __init__(self, parent: Any, argument: Any, path: Any) -> None:
            pass

        def validate(self, instance: Any) -> None:
            if isinstance(instance, dict | list):
                calls[id(instance)] += 1

    validator = jsonschema_rs.Draft202012Validator(counted(schema, calls), keywords=cast(Any, {"x-counted": Count}))
    value: Any = {"a": 1, "b": "text"}
    for _ in range(6):
        value = {"a": value, "b": [value, {"b": {}}]}
    for part in (value, {"a": value}, [value]):
        calls.clear()
        validator.is_valid(part)
        assert max(calls.values(), default=0) <= 10 * cost.repeats, (schema, cost)


@pytest.mark.parametrize("names", [0, 5, 50])
def test_children_that_are_not_told_apart_count_as_one(names: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of names, the cost is counted too high and never too low."""
    documents = [make_random_document(seed) for seed in range(40)]
    exact = [measure_check_cost(document, DRAFT_2020_12) for document in documents]
    monkeypatch.setattr(check_cost, "_MOST_NAMES", names)
    bounds = [measure_check_cost(document, DRAFT_2020_12) for document in documents]
    assert all(bound == replace(cost, repeats=bound.repeats) for cost, bound in zip(exact, bounds, strict=True))
    assert all(bound.repeats >= cost.repeats for cost, bound in zip(exact, bounds, strict=True))
    assert exact != bounds


def test_children_with_different_names_are_told_apart() -> None:
    branches: Any = [{"properties": {f"p{index}": {"allOf": [{}, {}]}}} for index in range(300)]
    assert measure_check_cost({"properties": {"a": {"anyOf": branches}}}, DRAFT_2020_12).repeats == 301
    assert measure_check_cost({"properties": {"a": {"anyOf": branches[:1] * 300}}}, DRAFT_2020_12).repeats == 900


def test_what_doubles_is_counted_as_that() -> None:
    twice = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(10)}
    schema: Any = {"$ref": "#/$defs/d0", "$defs": {**twice, "d10": {}}}
    assert 2**10 <= measure_check_cost(schema, DRAFT_2020_12).repeats <= 2**13
    assert (
        measure_check_cost(
            {"type": "object", "properties": {name: {"$ref": "#"} for name in "abc"}}, DRAFT_2020_12
        ).repeats
        <= 9
    )
    assert measure_check_cost({"properties": {"a": {"$ref": "#"}}}, DRAFT_2020_12).recursive
    assert not measure_check_cost(
        {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}}, DRAFT_2020_12
    ).recursive
