"""A schema of an old dialect means the same after the changes that mcpgen asks for: the oracle is jsonschema-rs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.old_dialects import (
    DRAFT_04,
    DRAFT_06,
    DRAFT_2019_09,
    MAX_CHANGES,
    SUCCESSORS,
    list_dialect_changes,
    report_dialect,
)
from mcpgen.schema.keywords import DRAFT_07
from support.dialects import apply_changes
from support.documents import make_site

VALIDATORS: dict[str, Any] = {
    DRAFT_04: jsonschema_rs.Draft4Validator,
    DRAFT_06: jsonschema_rs.Draft6Validator,
    DRAFT_2019_09: jsonschema_rs.Draft201909Validator,
}
VALUES: list[Any] = [
    *(None, True, 0, 1, 2, 5, -1, 1.5, "", "a", "abc", [], [1], ["a"], [1, "a"], [1, 2, 3], ["a", "b"], [None, 1]),
    *({}, {"a": 1}, {"a": "x", "b": 2}, {"b": [1, "a"]}, {"a": {"a": 1}}, {"a": {"b": [1]}}, {"c": None}),
]
"""Without 1.0, which is no integer in draft-04 and one since draft-06; no schema can say the former any more."""


def draw(random: random.Random, dialect: str, depth: int = 3) -> dict[str, Any]:
    """Draw a schema of a dialect, with those keywords above all that later dialects treat otherwise."""

    def inner() -> Any:
        return draw(random, dialect, depth - 1)

    makers: dict[str, Any] = {
        "type": lambda: random.choice(["object", "array", "string", "integer", "number", ["string", "null"]]),
        "minimum": lambda: random.choice([0, 1, 2]),
        "maximum": lambda: random.choice([1, 2, 5]),
        "enum": lambda: random.sample([None, 1, 2, "a", "abc", [1], {"a": 1}], 3),
        "maxLength": lambda: random.choice([0, 1, 2]),
        "uniqueItems": lambda: True,
        "required": lambda: random.sample(["a", "b", "c"], random.choice([1, 2])),
    }
    if dialect == DRAFT_04:
        makers["exclusiveMinimum"] = makers["exclusiveMaximum"] = lambda: random.choice([True, False])
        makers["id"] = lambda: f"https://example.com/{random.random()}"
        makers["const"] = lambda: random.choice([1, "a"])
    elif dialect == DRAFT_06:
        makers["exclusiveMinimum"] = lambda: random.choice([0, 1])
        makers["const"] = lambda: random.choice([1, "a"])
    else:
        makers["additionalItems"] = lambda: False
        makers["$recursiveAnchor"] = lambda: True
        makers["prefixItems"] = lambda: [{"type": "string"}]
    if depth:
        makers["properties"] = lambda: {name: inner() for name in random.sample("abc", 2)}
        makers["items"] = lambda: inner() if random.random() < 0.5 else [inner(), inner()]
        makers["additionalProperties"] = inner
        makers["additionalItems"] = inner
        makers["anyOf"] = lambda: [inner(), inner()]
        makers["not"] = inner
        if dialect != DRAFT_2019_09:
            makers["if"] = inner
            makers["then"] = lambda: {"type": "string"}
            makers["contains"] = inner
        else:
            makers["properties"] = lambda: {"a": inner(), "b": {"$recursiveRef": "#"}}
            makers["contains"] = inner
            makers["minContains"] = lambda: random.choice([0, 2])
    names = random.sample(sorted(makers), random.randint(1, min(4, len(makers))))
    if dialect == DRAFT_04:  # its meta-schema wants the bound beside the flag
        names += [name[9:].lower() for name in names if name.startswith("exclusive")]
    return {name: makers[name]() for name in dict.fromkeys(names)}


@pytest.mark.parametrize("dialect", VALIDATORS)
def test_a_converted_schema_accepts_the_same_values(dialect: str) -> None:
    generator = random.Random(dialect)
    compared = changed = accepted = 0
    for _ in range(1500):
        schema: Any = {**draw(generator, dialect), "$schema": dialect}
        converted, is_exact = apply_changes(schema, dialect)
        if not is_exact:
            continue
        old = VALIDATORS[dialect](schema, validate_formats=False)
        new_class = (
            jsonschema_rs.Draft7Validator if SUCCESSORS[dialect] == DRAFT_07 else jsonschema_rs.Draft202012Validator
        )
        new = new_class(converted, validate_formats=False)
        for value in VALUES:
            expected = old.is_valid(value)
            assert new.is_valid(value) == expected, (schema, converted, value)
            compared += 1
            accepted += expected
        changed += len(list_dialect_changes(schema, dialect)) > 0
    assert compared > 10_000
    assert accepted > 1000
    assert changed > 200, "the drawn schemas have hardly anything to change"


def test_nothing_is_to_be_changed_in_a_plain_schema() -> None:
    plain: Any = {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}, "required": ["a"]}
    for dialect in VALIDATORS:
        assert list_dialect_changes(plain, dialect) == []


def test_names_of_properties_are_no_keywords() -> None:
    schema: Any = {"properties": {"id": {"type": "string"}, "exclusiveMinimum": {"enum": [True]}}}
    assert list_dialect_changes(schema, DRAFT_04) == []


def test_what_only_the_author_knows_is_not_called_exact() -> None:
    schema: Any = {"$defs": {"a": {"$id": "https://example.com/a", "$recursiveAnchor": True}}, "$recursiveRef": "#"}
    assert not any(change.removed or change.added for change in list_dialect_changes(schema, DRAFT_2019_09))


def test_many_changes_are_cut(tmp_path: Path) -> None:
    properties = {f"p{number}": {"minimum": 1, "exclusiveMinimum": True} for number in range(MAX_CHANGES + 5)}
    schema: Any = {"$schema": DRAFT_04 + "#", "properties": properties}
    findings = Findings()
    report_dialect(schema, make_site(tmp_path, schema).document, "", findings)
    messages = [finding.message for finding in findings]
    assert len(messages) == MAX_CHANGES + 2
    assert messages[-1] == "5 more places have to change"
