"""Checking generated types against core schemas."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.core_matching import matches_core
from mcpgen.lower.normalize.core import Core, make_reference

TEXT, INTEGER, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NULL)


@pytest.mark.parametrize(
    ("core", "node"),
    [
        ({}, ANY),
        ({"type": "string", "minLength": 1}, Scalar(ScalarKind.STRING, (("min_length", 1),))),
        ({"type": "string", "format": "byte"}, Scalar(ScalarKind.BASE64)),
        ({"type": "string", "format": "date"}, Scalar(ScalarKind.DATE)),
        (make_reference("K0"), Ref("K0")),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 3}, Array(TEXT, (("max_length", 3),))),
        ({"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1}, FixedArray((TEXT,))),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Map(INTEGER)),
        ({"enum": ["a", None]}, Choice(("a", None))),
        ({"enum": ["a", None]}, Union((Choice(("a",)), NULL))),
        ({"anyOf": [{"type": "integer"}, {"anyOf": [{"enum": ["a"]}]}]}, Union((Choice(("a",)), INTEGER))),
    ],
)
def test_a_type_that_says_the_same_matches(core: Core, node: Type) -> None:
    assert matches_core(core, node)


@pytest.mark.parametrize(
    ("core", "node"),
    [
        ({}, TEXT),
        ({"type": "string", "minLength": 1}, TEXT),
        ({"type": "string"}, Scalar(ScalarKind.STRING, (("min_length", 1),))),
        ({"type": "string", "format": "date"}, TEXT),
        (make_reference("K0"), Ref("K1")),
        ({"type": "array", "items": {"type": "string"}}, Array(INTEGER)),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, FixedArray((TEXT, TEXT))),
        ({"enum": [1]}, Choice((True,))),
        ({"enum": ["a"]}, Choice(("a", "b"))),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, INTEGER),
        ({"type": "integer"}, Union((INTEGER, NULL))),
    ],
)
def test_any_other_type_does_not(core: Core, node: Type) -> None:
    assert not matches_core(core, node)


def test_nested_types_are_compared_once() -> None:
    core: Core = {"type": "string"}
    node: Type = TEXT
    for _ in range(60):
        core, node = {"type": "array", "items": core}, Array(node)
    assert matches_core(core, node)
