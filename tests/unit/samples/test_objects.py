"""Drawing of objects."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.samples.objects import draw_object
from support.draws import make_context


def draw(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> Any:
    context = make_context(schema, seed, style)
    return draw_object(context, [context.document.root], 0)


def test_required_properties_are_there_in_order_of_declaration() -> None:
    schema = {
        "properties": {"b": {"const": 1}, "a": {"const": 2}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert list(draw(schema, style=DrawStyle.PLAIN).items()) == [("b", 1), ("a", 2)]


def test_optional_properties_come_and_go() -> None:
    sizes = {len(draw({"properties": {"a": {}, "b": {}}, "maxProperties": 2}, seed)) for seed in range(40)}
    assert sizes == {0, 1, 2}
    assert draw({"properties": {"a": {}, "b": {}}}, style=DrawStyle.FIRST) == {"a": "nested", "b": "nested"}


def test_a_property_brings_those_that_depend_on_it() -> None:
    schema = {"required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"]}}
    assert {"a", "b", "c"} <= draw(schema).keys()


def test_dependent_schemas_apply() -> None:
    schema = {"required": ["a"], "dependentSchemas": {"a": {"properties": {"b": {"const": 7}}, "required": ["b"]}}}
    assert draw(schema)["b"] == 7


def test_names_follow_pattern_properties() -> None:
    schema = {"patternProperties": {"^x[0-9]$": {"const": 3}}, "additionalProperties": False, "minProperties": 2}
    drawn = draw(schema, style=DrawStyle.PLAIN)
    assert len(drawn) >= 2
    assert all(name[0] == "x" and value == 3 for name, value in drawn.items())


def test_too_many_properties_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"required": ["a", "b"], "maxProperties": 1})
    with pytest.raises(Unsatisfiable):
        draw({"minProperties": 10**9})
