"""Warnings about names that nothing describes and keywords without effect are true; the oracle is the validator."""

from __future__ import annotations

import copy
import random
from itertools import product
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.lint.linter import WRITTEN_SCHEMA_RULES, lint_schema
from mcpgen.lint.rule import LintedSchema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import as_object, follow_pointer, format_pointer, parse_pointer

ROUNDS = 500
REFERENCES: dict[str, dict[str, str]] = {
    "#/$defs/Base%20Type": {},
    "#/%24defs/Base%20Type": {},
    "#base": {"$anchor": "base"},
    "base.json": {"$id": "base.json"},
}
"""Spelling of a reference → what the schema that it leads to needs."""
SAMPLES: list[dict[str, Any]] = [
    {name: value for name, value in zip("abw", values, strict=True) if value != "absent"}
    for values in product(("absent", 1, "a", None), repeat=3)
]


def draw_schema(choose: random.Random, reference: str, depth: int = 0) -> dict[str, Any]:
    """Return a schema of objects with few names, which may apply other schemas to the same object."""
    schema: dict[str, Any] = {}
    likely = {
        "type": "object",
        "properties": {name: draw_value(choose) for name in choose.sample("ab", choose.randint(1, 2))},
        "required": choose.sample("abw", 1),
    }
    unlikely = {
        "additionalProperties": draw_value(choose),
        "unevaluatedProperties": choose.choice([False, draw_value(choose)]),
        "patternProperties": {"w": draw_value(choose)},
        "minLength": 1,
    }
    schema |= {keyword: value for keyword, value in likely.items() if choose.random() < 0.7}
    schema |= {keyword: value for keyword, value in unlikely.items() if choose.random() < 0.15}
    if depth < 2:
        for keyword in ("if", "then", "else"):
            if choose.random() < 0.15:
                schema[keyword] = draw_schema(choose, reference, depth + 1)
        if choose.random() < 0.25:
            schema["allOf"] = [draw_schema(choose, reference, depth + 1) for _ in range(choose.randint(1, 2))]
        if choose.random() < 0.25:
            schema["$ref"] = reference
    return schema


def draw_value(choose: random.Random) -> dict[str, Any]:
    return {"type": choose.choice(["string", "integer", "null"])}


def draw_root(choose: random.Random) -> dict[str, Any]:
    reference = choose.choice([*REFERENCES])
    base = draw_schema(choose, reference, 2) | REFERENCES[reference]
    root = draw_schema(choose, reference)
    if choose.random() < 0.3:
        root = {"$ref": reference}
    return {"$id": "https://a.test/root.json", **root, "$defs": {"Base Type": base}}


def list_warnings(schema: Any) -> list[tuple[str, str]]:
    """Return the code and the pointer of each warning about what validation uses."""
    places = [
        (found.rule.code, found.problem.pointer + format_pointer(*filter(None, [found.problem.key])))
        for found in lint_schema(LintedSchema(schema, DRAFT_2020_12), WRITTEN_SCHEMA_RULES)
    ]
    without_base = str({**schema, "$defs": {}})
    is_used = any(repr(reference) in without_base for reference in REFERENCES)
    return [(code, place) for code, place in places if is_used or not place.startswith("/$defs")]


def validate(schema: Any, samples: list[dict[str, Any]]) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator(schema)
    return [validator.is_valid(sample) for sample in samples]


def remove(schema: Any, place: str) -> Any:
    """Return a schema without the member at a JSON pointer."""
    *outer, key = parse_pointer(place)
    without = copy.deepcopy(schema)
    del as_object(follow_pointer(without, outer))[key]
    return without


@pytest.fixture(scope="module")
def drawn() -> list[tuple[Any, list[tuple[str, str]]]]:
    """Return random schemas, each with its warnings."""
    choose = random.Random(7)
    schemas = [draw_root(choose) for _ in range(ROUNDS)]
    return [(schema, list_warnings(schema)) for schema in schemas]


def test_a_keyword_without_effect_can_be_removed(drawn: list[tuple[Any, list[tuple[str, str]]]]) -> None:
    reported = [(schema, place) for schema, warnings in drawn for code, place in warnings if code == "MG118"]
    assert {place.rpartition("/")[2] for _, place in reported} == {"if", "then", "else", "minLength"}
    for schema, place in reported:
        assert validate(schema, SAMPLES) == validate(remove(schema, place), SAMPLES), (schema, place)


def test_the_value_of_a_name_that_nothing_describes_does_not_matter(
    drawn: list[tuple[Any, list[tuple[str, str]]]],
) -> None:
    reported = [(schema, place) for schema, warnings in drawn for code, place in warnings if code == "MG117"]
    assert len(reported) > 10
    for schema, place in reported:
        name = str(follow_pointer(schema, parse_pointer(place)))
        verdicts = [validate(schema, [{**sample, name: value} for sample in SAMPLES]) for value in (1, "a", None, 2.5)]
        assert verdicts == verdicts[:1] * 4, (schema, place)
