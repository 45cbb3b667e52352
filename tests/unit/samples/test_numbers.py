"""Drawing of numbers."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.samples.numbers import draw_number
from support.draws import make_context


def draw(schema: Any, is_integer: bool, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> int | float:
    context = make_context(schema, seed, style)
    return draw_number(context, [context.document.root], is_integer)


def test_integers_are_within_exclusive_bounds() -> None:
    assert {draw({"exclusiveMinimum": 3, "exclusiveMaximum": 6}, True, seed) for seed in range(40)} == {4, 5}


def test_multiples_of_several_steps() -> None:
    schema = {"multipleOf": 4, "minimum": 1, "maximum": 13}
    assert {draw(schema, True, seed) for seed in range(40)} == {4, 8, 12}
    assert all(draw({"multipleOf": 0.25}, True, seed) % 1 == 0 for seed in range(20))


def test_real_numbers_are_between_close_bounds() -> None:
    for seed in range(40):
        assert 0.25 <= draw({"minimum": 0.25, "exclusiveMaximum": 0.5}, False, seed) < 0.5


def test_the_first_choice_is_one_or_the_nearest_number() -> None:
    assert draw({}, True, style=DrawStyle.FIRST) == 1
    assert draw({"minimum": 5}, True, style=DrawStyle.FIRST) == 5
    assert draw({"minimum": -9, "maximum": -2}, True, style=DrawStyle.FIRST) == -2


def test_contradicting_bounds_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"minimum": 4, "maximum": 3}, True)
