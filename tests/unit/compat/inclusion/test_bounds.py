"""The tightest bounds under several subschemas."""

from __future__ import annotations

from fractions import Fraction

from mcpgen.compat.inclusion.bounds import NumberBound, find_number_bounds, find_size_bounds
from support.compat import conjoin


def test_the_tightest_bounds_win() -> None:
    parts = conjoin({"allOf": [{"minimum": 1, "maximum": 5}, {"exclusiveMinimum": 1, "maximum": 4.5}]})
    low, high = find_number_bounds(parts.view, parts.parts)
    assert low == NumberBound(Fraction(1), True)
    assert high == NumberBound(Fraction(9, 2), False)


def test_an_excluded_upper_bound_is_tighter() -> None:
    parts = conjoin({"maximum": 5, "exclusiveMaximum": 5})
    assert find_number_bounds(parts.view, parts.parts) == (None, NumberBound(Fraction(5), True))


def test_sizes_are_integers() -> None:
    parts = conjoin({"allOf": [{"minLength": 1, "maxLength": 9}, {"minLength": 2.0, "maxLength": 7}]})
    assert find_size_bounds(parts.view, parts.parts, "minLength", "maxLength") == (2, 7)
    assert find_size_bounds(parts.view, parts.parts, "minItems", "maxItems") == (0, None)
