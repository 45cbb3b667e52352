"""Bounds of numbers and sizes under several subschemas at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS


@dataclass(frozen=True)
class NumberBound:
    """Lower or upper bound of numbers."""

    value: Fraction
    excluded: bool
    """Whether the bound itself is not allowed."""


def find_number_bounds(
    view: SchemaView, parts: Sequence[SchemaLocation]
) -> tuple[NumberBound | None, NumberBound | None]:
    """Return the tightest lower and the tightest upper bound of numbers, None for no bound."""
    lows = _list_bounds(view, parts, LOWER_NUMBER_BOUNDS)
    highs = _list_bounds(view, parts, UPPER_NUMBER_BOUNDS)
    low = max(lows, key=lambda bound: (bound.value, bound.excluded), default=None)
    high = min(highs, key=lambda bound: (bound.value, not bound.excluded), default=None)
    return low, high


def _list_bounds(view: SchemaView, parts: Sequence[SchemaLocation], keywords: Mapping[str, bool]) -> list[NumberBound]:
    return [
        NumberBound(Fraction(value), excluded)
        for part in parts
        for keyword, excluded in keywords.items()
        if (value := view.get_number(part, keyword)) is not None
    ]


def find_size_bounds(
    view: SchemaView, parts: Sequence[SchemaLocation], least: str, most: str
) -> tuple[int, int | None]:
    """Return the bounds of a length or count, None for no upper bound.

    Args:
        view: the document of the parts.
        parts: subschemas that all apply.
        least: keyword of the lower bound, such as `minLength`.
        most: keyword of the upper bound.
    """
    lows = [value for part in parts if (value := view.get_number(part, least)) is not None]
    highs = [value for part in parts if (value := view.get_number(part, most)) is not None]
    return math.ceil(max(lows, default=0)), math.floor(min(highs)) if highs else None
