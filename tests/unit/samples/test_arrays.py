"""Drawing of arrays."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.samples.arrays import draw_array
from mcpgen.samples.context import Unsatisfiable
from support.draws import make_context


def draw(schema: Any, seed: int = 0) -> Any:
    context = make_context(schema, seed)
    return draw_array(context, [context.document.root], 0, "")


def test_sizes_are_within_the_bounds() -> None:
    assert {len(draw({"minItems": 2, "maxItems": 3}, seed)) for seed in range(40)} == {2, 3}


def test_items_follow_prefix_and_rest() -> None:
    schema = {"prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}, "minItems": 4}
    assert draw(schema) == [1, 2, 3, 3]


def test_unevaluated_items_apply_to_what_nothing_else_does() -> None:
    assert draw({"prefixItems": [{"const": 1}], "unevaluatedItems": {"const": 2}, "minItems": 3}) == [1, 2, 2]


def test_contained_items_are_there() -> None:
    for seed in range(10):
        assert draw({"contains": {"const": "x"}, "minContains": 2}, seed).count("x") >= 2


def test_equal_items_are_not_unique() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"items": {"const": 1}, "uniqueItems": True, "minItems": 2})


def test_too_many_items_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"minItems": 10**9})
