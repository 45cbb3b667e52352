"""Keywords that have no effect where they are; the oracle is the validator: without the keyword, nothing changes."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from mcpgen.lint.mistakes import check_idle_keywords
from mcpgen.lint.rule import LintedSchema
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORD_TABLE
from support.schema_mistakes import VALUES

SAMPLES: list[Any] = [
    None,
    True,
    0,
    1,
    3,
    2.5,
    "",
    "a",
    "aaa",
    "b",
    [],
    [1],
    ["a"],
    ["a", "a", "a"],
    {},
    {"a": 1},
    {"b": 1},
]
SAMPLES += [{"a": "a"}, {"a": "a", "b": "b", "c": "c"}]
TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


def list_idle(schema: dict[str, Any], dialect: str = DRAFT_2020_12) -> list[str]:
    problems = [*check_idle_keywords(LintedSchema(schema, dialect), frozenset())]
    assert all(problem.help for problem in problems)
    return [str(problem.key) for problem in problems if problem.pointer == ""]


def validates(schema: dict[str, Any]) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator(schema)
    return [validator.is_valid(sample) for sample in SAMPLES]


@pytest.mark.parametrize("declared", TYPES)
@pytest.mark.parametrize("keyword", sorted(VALUES.keys() - {"type"}))
def test_a_keyword_without_effect_changes_nothing(keyword: str, declared: str) -> None:
    without: dict[str, Any] = {"type": declared}
    idle = list_idle({**without, keyword: VALUES[keyword]})
    if idle:
        assert idle == [keyword]
        assert validates({**without, keyword: VALUES[keyword]}) == validates(without)
    kind = KEYWORD_TABLE[keyword].type
    if kind and kind != declared and (kind, declared) != ("number", "integer"):
        assert idle == [keyword]


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [
        ({"type": ["string", "null"], "minLength": 1}, DRAFT_2020_12),
        ({"minLength": 1, "minimum": 1}, DRAFT_2020_12),
        ({"type": "integer", "format": "int32"}, DRAFT_2020_12),
        ({"if": {}, "then": {}}, DRAFT_2020_12),
        ({"if": {}, "else": {}}, DRAFT_2020_12),
        ({"$ref": "#", "minLength": 1}, DRAFT_2020_12),
        ({"$ref": "#", "type": "string", "description": "a"}, DRAFT_07),
        ({"type": "array", "items": [{}], "additionalItems": False}, DRAFT_07),
    ],
)
def test_what_has_an_effect_or_does_no_harm(schema: Any, dialect: str) -> None:
    assert list_idle(schema, dialect) == []


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"$ref": "#", "minLength": 1}, "minLength"),
        ({"additionalItems": False}, "additionalItems"),
        ({"prefixItems": [{}]}, "prefixItems"),
    ],
)
def test_draft_07_has_other_rules(schema: Any, keyword: str) -> None:
    assert list_idle(schema, DRAFT_07) == [keyword]
