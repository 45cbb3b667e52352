"""Bounds of sizes and numbers that hold for all schemas of a value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS


@dataclass(frozen=True)
class Bound:
    """Lower or upper bound of a number."""

    value: Fraction
    is_exclusive: bool


def intersect_sizes(locations: list[SchemaLocation], least_keyword: str, most_keyword: str) -> tuple[int, int | None]:
    """Return the least and the greatest size that all schemas allow; None: there is no upper bound."""
    lows = [value for location in locations if (value := location.get_number(least_keyword)) is not None]
    highs = [value for location in locations if (value := location.get_number(most_keyword)) is not None]
    return int(max(lows, default=0)), int(min(highs)) if highs else None


def intersect_number_bounds(locations: list[SchemaLocation]) -> tuple[Bound | None, Bound | None]:
    """Return the tightest lower and upper bound of a number; None: it is unbounded."""
    lower = max(_list_bounds(locations, LOWER_NUMBER_BOUNDS), key=_order_lower, default=None)
    upper = min(_list_bounds(locations, UPPER_NUMBER_BOUNDS), key=_order_upper, default=None)
    return lower, upper


def _list_bounds(locations: list[SchemaLocation], keywords: dict[str, bool]) -> list[Bound]:
    return [
        Bound(Fraction(str(value)), is_exclusive)
        for location in locations
        for keyword, is_exclusive in keywords.items()
        if (value := location.get_number(keyword)) is not None
    ]


def _order_lower(bound: Bound) -> tuple[Fraction, bool]:
    return bound.value, bound.is_exclusive


def _order_upper(bound: Bound) -> tuple[Fraction, bool]:
    return bound.value, not bound.is_exclusive
