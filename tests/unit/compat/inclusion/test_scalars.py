"""Gaps of keywords for strings and numbers."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.scalars import NUMBER_RULES, STRING_RULES
from support.compat import find_rule_gaps


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ({}, {"minLength": 2}, [("MIN_LENGTH", {"maxLength": 1}, True)]),
        ({"minLength": 2}, {"minLength": 2}, []),
        ({}, {"maxLength": 2}, [("MAX_LENGTH", {"minLength": 3}, True)]),
        ({}, {"pattern": "^a"}, [("PATTERN", None, False)]),
        ({"pattern": "^a"}, {"pattern": "^a"}, []),
        ({}, {"pattern": ""}, []),
    ],
)
def test_strings(producer: Any, consumer: Any, expected: list[tuple[str, Any, bool]]) -> None:
    gaps = find_rule_gaps(STRING_RULES, producer, consumer, "string")
    assert [(gap.kind.name, gap.witness_schema, gap.certain) for gap in gaps] == expected


@pytest.mark.parametrize(
    ("kind", "producer", "consumer", "expected"),
    [
        ("number", {}, {"minimum": 1}, [("MINIMUM", {"type": "number", "exclusiveMaximum": 1})]),
        ("number", {"minimum": 1}, {"exclusiveMinimum": 1}, [("MINIMUM", {"type": "number", "maximum": 1})]),
        ("number", {"exclusiveMinimum": 1}, {"minimum": 1}, []),
        ("integer", {"exclusiveMinimum": 0}, {"minimum": 1}, []),
        ("number", {"exclusiveMinimum": 0}, {"minimum": 1}, [("MINIMUM", {"type": "number", "exclusiveMaximum": 1})]),
        ("integer", {"maximum": 1.5}, {"maximum": 1}, []),
        ("number", {"maximum": 2}, {"exclusiveMaximum": 2}, [("MAXIMUM", {"type": "number", "minimum": 2})]),
        ("integer", {"multipleOf": 6}, {"multipleOf": 3}, []),
        ("integer", {"multipleOf": 3}, {"multipleOf": 6}, [("MULTIPLE", {"type": "integer"})]),
        ("integer", {}, {"multipleOf": 1}, []),
        ("number", {"multipleOf": 0.5}, {"multipleOf": 0.5}, []),
    ],
)
def test_numbers(kind: str, producer: Any, consumer: Any, expected: list[tuple[str, Any]]) -> None:
    gaps = find_rule_gaps(NUMBER_RULES, producer, consumer, kind)
    assert [(gap.kind.name, gap.witness_schema) for gap in gaps] == expected
