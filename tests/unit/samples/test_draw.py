"""A draw of one value: attempts, validation, limits."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.samples.draw import ValueDraw
from mcpgen.schema.document import SchemaDocument
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import get_json_type


def make_draw(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> tuple[ValueDraw, SchemaDocument]:
    document = SchemaDocument(schema, DRAFT_2020_12)
    return ValueDraw(document, Random(seed), style), document


def test_values_of_one_branch_only_are_drawn_again_until_they_are_valid() -> None:
    schema = {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"multipleOf": 2}]}
    for seed in range(20):
        draw, document = make_draw(schema, seed)
        value = draw.draw_value((document.root,), 0)
        assert not (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9 and value % 2 == 0)


def test_an_invalid_value_is_kept() -> None:
    draw, document = make_draw({"const": 1, "not": {"type": ["integer", "string"], "minimum": 0}})
    with pytest.raises(Unsatisfiable):
        draw.draw_value((document.root,), 0)
    assert draw.last_invalid == [1]


def test_infinite_values_are_given_up() -> None:
    draw, document = make_draw({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})
    with pytest.raises(Unsatisfiable):
        draw.draw_value((document.root,), 0)


def test_anything_has_any_type() -> None:
    types = {get_json_type(make_draw({}, seed)[0].draw_anything(0)) for seed in range(80)}
    assert types >= {"object", "array", "string", "boolean", "null"}


def test_examples_come_first_in_their_style() -> None:
    draw, document = make_draw({"type": "string", "examples": ["Oslo"]}, style=DrawStyle.EXAMPLES)
    assert draw.draw_value((document.root,), 0) == "Oslo"
