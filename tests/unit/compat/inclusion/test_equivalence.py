"""Subschemas with the same assertions."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.compat import make_view


def are_equivalent(first: Any, second: Any, dialects: tuple[str, str] = (DRAFT_2020_12, DRAFT_2020_12)) -> bool:
    a, b = make_view(first, dialects[0]), make_view(second, dialects[1])
    return EquivalenceChecker(a, b).are_equivalent(a.root, b.root)


def linked(value: Any, name: str) -> dict[str, Any]:
    reference = {"$ref": f"#/$defs/{name}"}
    return {**reference, "$defs": {name: {"properties": {"next": reference, "value": value}}}}


@pytest.mark.parametrize(
    ("first", "second", "equivalent"),
    [
        ({"type": "string", "title": "A"}, {"type": "string", "format": "date"}, True),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}, True),
        ({"type": "string"}, {"type": ["string"]}, True),
        ({"enum": [1, "a"]}, {"enum": ["a", 1.0]}, True),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}, True),
        ({"anyOf": [{"type": "null"}, True]}, {"anyOf": [True, {"type": "null"}]}, False),
        ({"properties": {"a": True}}, {"properties": {"a": {}}}, True),
        ({"properties": {"a": True}}, {"properties": {"b": True}}, False),
        ({"minimum": 1}, {"minimum": 1.0}, True),
        ({"minimum": 1}, {"exclusiveMinimum": 1}, False),
        ({}, True, True),
        (False, True, False),
        (linked({"type": "null"}, "a"), linked({"type": "null"}, "b"), True),
        (linked({"type": "null"}, "a"), linked({"type": "string"}, "a"), False),
    ],
)
def test_pairs(first: Any, second: Any, equivalent: bool) -> None:
    assert are_equivalent(first, second) is equivalent


def test_keywords_of_another_dialect_are_different() -> None:
    other = (DRAFT_07, DRAFT_2020_12)
    assert are_equivalent({"minLength": 1}, {"minLength": 1}, other)
    assert not are_equivalent({"items": {"type": "null"}}, {"items": {"type": "null"}}, other)


def test_dependencies_of_draft_07_are_schemas_or_names() -> None:
    both = (DRAFT_07, DRAFT_07)
    first = {"dependencies": {"a": ["b"], "c": {"type": "null"}}}
    assert are_equivalent(first, {"dependencies": {"c": {"type": ["null"]}, "a": ["b"]}}, both)
    assert not are_equivalent(first, {"dependencies": {"a": ["z"], "c": {"type": "null"}}}, both)
    assert not are_equivalent(first, {"dependencies": {"a": ["b"], "c": {"type": "string"}}}, both)


def test_single_keywords() -> None:
    a, b = make_view({"minimum": 1, "if": {"type": "null"}}), make_view({"minimum": 2, "if": {"type": "null"}})
    checker = EquivalenceChecker(a, b)
    assert checker.have_equivalent_keywords(a.root, b.root, ("if", "then", "else"))
    assert not checker.have_equivalent_keywords(a.root, b.root, ("minimum",))
    assert not checker.have_equivalent_keywords(a.root, b.root, ("pattern",))


def test_a_difference_takes_back_what_was_assumed() -> None:
    first: Any = {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}, "x": {"type": "null"}}}, "b": {}}}
    first["$defs"]["b"] = {"properties": {"a": {"$ref": "#/$defs/a"}}}
    second: Any = {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}, "x": {"type": "string"}}}, "b": {}}}
    second["$defs"]["b"] = {"properties": {"a": {"$ref": "#/$defs/a"}}}
    a, b = make_view(first), make_view(second)
    checker = EquivalenceChecker(a, b)
    definitions = a.get_named_subschemas(a.root, "$defs"), b.get_named_subschemas(b.root, "$defs")
    assert not checker.are_equivalent(definitions[0]["a"], definitions[1]["a"])
    assert not checker.are_equivalent(definitions[0]["b"], definitions[1]["b"])
