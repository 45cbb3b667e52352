"""Expansion of schemas into those that apply together."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.samples.branches import expand_locations
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from support.draws import make_context


def expand(schema: Any, style: DrawStyle = DrawStyle.FIRST, seed: int = 0) -> list[str]:
    context = make_context(schema, seed, style)
    return [location.at for location in expand_locations(context, (context.document.root,), 0, 0)]


def test_references_and_all_of_are_followed() -> None:
    schema = {"$ref": "#/$defs/a", "allOf": [{"minimum": 1}], "$defs": {"a": {"type": "integer"}}}
    assert sorted(expand(schema)) == ["", "/$defs/a", "/allOf/0"]


def test_a_cycle_of_references_ends() -> None:
    assert expand({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}) == ["", "/$defs/a"]


def test_one_branch_is_chosen() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "string"}]}
    assert expand(schema) == ["", "/anyOf/0"]
    chosen = {tuple(expand(schema, DrawStyle.VARIED, seed)) for seed in range(30)}
    assert chosen == {("", "/anyOf/0"), ("", "/anyOf/1")}


def test_a_condition_is_either_met_or_not() -> None:
    schema: Any = {"if": {"minimum": 1}, "then": {"maximum": 9}, "else": {"maximum": 0}}
    chosen = {tuple(sorted(expand(schema, DrawStyle.VARIED, seed))) for seed in range(30)}
    assert chosen == {("", "/if", "/then"), ("", "/else")}


def test_a_deep_value_gets_the_smallest_branch() -> None:
    schema = {"anyOf": [{"$ref": "#/$defs/large"}, {"minItems": 1}], "$defs": {"large": {"required": ["a", "b"]}}}
    context = make_context(schema)
    locations = expand_locations(context, (context.document.root,), 99, 0)
    assert [location.at for location in locations] == ["", "/anyOf/1"]


def test_false_is_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        expand({"allOf": [False]})
