"""State of one draw: the schema document, the source of randomness, and how much was drawn so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from fractions import Fraction
from random import Random
from typing import NamedTuple

from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS
from mcpgen.schema.values import Json

MOST_VALUES_WITH_OPTIONAL = 500
"""Values drawn before optional parts are left out."""
MOST_DRAWN_VALUES = 20_000
"""Values drawn before giving up: some schemas have no finite value, or none of a reasonable size."""
MOST_DEAD_ENDS = 500
"""Failed attempts before giving up."""
DEEP_NESTING = 6
"""Depth from which on optional parts are left out."""
DEEPEST_FULL = 4
"""Depth up to which `FULL` draws optional properties: recursive schemas would fill the screen."""
DEEPEST_NESTING = 60
"""Depth at which drawing gives up."""
MOST_MEMBERS = 20_000
"""Items or properties that one drawn value may have."""
LONGEST_STRING = 20_000
"""Characters that one drawn string may have."""


class Unsatisfiable(Exception):
    """No value satisfies the chosen schemas, or none was found."""


class DrawStyle(IntEnum):
    """Preference between varied and readable values; later members are more readable."""

    VARIED = 0
    """Random values, odd ones included."""
    PLAIN = 1
    """Small random values with required parts only."""
    MIXED = 2
    """Small random values, with the optional properties of the root, and one of the `examples` where there are some."""
    FIRST = 3
    """The first of several choices, with the optional properties of the root."""
    EXAMPLES = 4
    """Like `FIRST`, but the schema's `examples` and `default` come first."""
    FULL = 5
    """Like `EXAMPLES`, with the optional properties of nested objects, too."""


SchemaDrawer = Callable[[Sequence[SchemaLocation], int, str], Json]
"""Draws a value that satisfies all schemas, at a depth, for a property; raises `Unsatisfiable` if none is found."""


class DrawContext:
    """Shared state of one draw; `draw_nested` draws the value of a property or an item."""

    def __init__(self, document: SchemaDocument, random: Random, style: DrawStyle, draw_nested: SchemaDrawer) -> None:
        self.document, self.random, self.style, self.draw_nested = document, random, style, draw_nested
        self.drawn_values: int = 0
        self.dead_ends: int = 0

    @property
    def is_varied(self) -> bool:
        """True where variety is preferred to readability."""
        return self.style is DrawStyle.VARIED

    @property
    def takes_first(self) -> bool:
        """True where the first of several choices is taken, not a random one."""
        return self.style >= DrawStyle.FIRST

    def is_exhausted(self, depth: int) -> bool:
        """Report whether drawing should give up."""
        return depth > DEEPEST_NESTING or self.drawn_values > MOST_DRAWN_VALUES or self.dead_ends > MOST_DEAD_ENDS

    def should_stay_small(self, depth: int) -> bool:
        """Report whether optional parts should be left out by now."""
        return depth > DEEP_NESTING or self.drawn_values > MOST_VALUES_WITH_OPTIONAL

    def decide(self, probability: float) -> bool:
        """Return True with a probability between 0 and 1; always False unless the style is `VARIED`."""
        return self.is_varied and self.random.random() < probability

    def toss_coin(self) -> bool:
        """Return True or False at random; always True where the first choice is taken."""
        return self.takes_first or self.random.random() < 0.5


# --- bounds that hold for all schemas of a value ---------------------------------------------------------------------
class Bound(NamedTuple):
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
    lows, highs = _list_bounds(locations, LOWER_NUMBER_BOUNDS), _list_bounds(locations, UPPER_NUMBER_BOUNDS)
    return max(lows, default=None), min(highs, key=lambda bound: (bound.value, not bound.is_exclusive), default=None)


def _list_bounds(locations: list[SchemaLocation], keywords: dict[str, bool]) -> list[Bound]:
    return [
        Bound(Fraction(str(value)), is_exclusive)
        for location in locations
        for keyword, is_exclusive in keywords.items()
        if (value := location.get_number(keyword)) is not None
    ]
