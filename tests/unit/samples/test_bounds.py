"""Bounds that hold for several schemas."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mcpgen.samples.bounds import Bound, intersect_number_bounds, intersect_sizes
from mcpgen.schema.document import SchemaLocation


def locate(*schemas: Any) -> list[SchemaLocation]:
    return [SchemaLocation(f"/{index}", (), schema) for index, schema in enumerate(schemas)]


def test_sizes() -> None:
    locations = locate({"minItems": 1, "maxItems": 9}, {"minItems": 3}, {"maxItems": 5.0})
    assert intersect_sizes(locations, "minItems", "maxItems") == (3, 5)
    assert intersect_sizes(locate({}), "minItems", "maxItems") == (0, None)


def test_the_tightest_bound_counts_and_exclusive_ones_are_tighter() -> None:
    locations = locate(
        {"minimum": 1, "exclusiveMaximum": 8}, {"exclusiveMinimum": 1, "maximum": 8}, {"minimum": 0, "maximum": 9}
    )
    assert intersect_number_bounds(locations) == (Bound(Fraction(1), True), Bound(Fraction(8), True))


def test_bounds_are_exact_decimals() -> None:
    assert intersect_number_bounds(locate({"minimum": 0.1})) == (Bound(Fraction(1, 10), False), None)
