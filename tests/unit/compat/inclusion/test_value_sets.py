"""Values of a kind: few enough to be listed, or none."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.value_sets import (
    DEEPEST_EMPTINESS_CHECK,
    MOST_ENUMERATED,
    is_empty,
    is_empty_kind,
    list_values,
)
from support.compat import conjoin


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
    assert list_values(conjoin(schema), kind) == values


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
