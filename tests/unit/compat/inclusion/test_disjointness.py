"""Conjunctions that have no value in common."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from support.compat import conjoin


def are_disjoint(first: Any, second: Any) -> bool:
    a, b = conjoin(first), conjoin(second)
    return DisjointnessChecker(EquivalenceChecker(a.view, b.view)).are_disjoint(a, b)


def tagged(tag: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": tag}}, "required": ["kind"]}


@pytest.mark.parametrize(
    ("first", "second", "disjoint"),
    [
        ({"type": "string"}, {"type": "integer"}, True),
        ({"type": "number"}, {"type": "integer"}, False),
        ({"enum": [1, 2]}, {"enum": [3]}, True),
        ({"enum": [1, 2]}, {"minimum": 2}, False),
        ({"type": "number", "maximum": 1}, {"type": "number", "exclusiveMinimum": 1}, True),
        ({"type": "number", "maximum": 1}, {"type": "number", "minimum": 1}, False),
        ({"type": "string", "maxLength": 2}, {"type": "string", "minLength": 3}, True),
        (tagged("a"), tagged("b"), True),
        (tagged("a"), tagged("a"), False),
        ({"type": "object", "required": ["a"]}, {"type": "object", "maxProperties": 0}, True),
        ({"type": "array", "minItems": 3}, {"type": "array", "maxItems": 2}, True),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "array", "items": {"type": "null"}},
            True,
        ),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "null"}}, False),
        (tagged("c"), {"oneOf": [tagged("a"), tagged("b")]}, True),
        ({"oneOf": [tagged("a"), tagged("b")]}, tagged("b"), False),
        ({"type": "string", "not": {"pattern": "a"}}, {"type": "string", "pattern": "a"}, False),
        ({"not": {"pattern": "a", "type": "string"}}, {"pattern": "a", "type": "string"}, True),
    ],
)
def test_pairs(first: Any, second: Any, disjoint: bool) -> None:
    assert are_disjoint(first, second) is disjoint
    assert are_disjoint(second, first) is disjoint
