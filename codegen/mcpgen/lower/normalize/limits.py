"""Limits on the types that a schema may unfold into."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.lower.normalize.core import Core, list_parts
from mcpgen.lower.request import LoweringLimits

MAX_TYPE_DEPTH = 40
"""Levels of one type. Python's parser takes 200 nested brackets, and a level of a type takes up to four."""
MAX_OPEN_PLACES = 300
"""Places that may be lowered inside each other: references can nest deeper than the text of a schema."""
MAX_TYPE_PARTS = 5_000
"""Parts of one type, each counted as often as it occurs."""
MIN_TYPE_BUDGET = 10_000
"""Types that every schema may unfold into, however small it is."""
LOOKUPS_PER_TYPE = 5
"""Places that may be read for each type."""


class SchemaTooLarge(Exception):
    """A schema unfolds into more than a package should hold; the message names the limit."""


class LoweringBudget:
    """Counts what a schema unfolds into, so that the work is at most a constant times its subschemas."""

    def __init__(self, limits: LoweringLimits, subschemas: int) -> None:
        self._unfolding = limits.unfolding
        self._types_left = max(MIN_TYPE_BUDGET, limits.unfolding * subschemas)
        self._lookups_left = self._types_left * LOOKUPS_PER_TYPE

    def count_places(self, count: int = 1) -> None:
        """Count places that are read; raise `SchemaTooLarge` if there are too many."""
        self._lookups_left -= count
        if self._lookups_left < 0:
            self._refuse()

    def count_types(self, count: int = 1) -> None:
        """Count types that a module will contain; raise `SchemaTooLarge` if there are too many."""
        self._types_left -= count
        if self._types_left < 0:
            self._refuse()

    def _refuse(self) -> None:
        raise SchemaTooLarge(
            f"it unfolds into more than {self._unfolding} types for each subschema (`limits.unfolding`)"
        )


@dataclass(frozen=True)
class TypeSize:
    """Size of a type in the core language."""

    core: Core
    """The type itself, held so that no other object gets its `id`."""
    levels: int
    parts: int


class TypeSizes:
    """Measures types, each part once."""

    def __init__(self) -> None:
        self._sizes: dict[int, TypeSize] = {}

    def measure(self, core: Core) -> TypeSize:
        """Return the levels and the parts of a type."""
        size = self._sizes.get(id(core))
        if size is None:
            inner = [self.measure(part) for part in list_parts(core)]
            values = core.get("enum")
            count = len(values) if isinstance(values, list) else 1
            size = TypeSize(
                core, 1 + max((part.levels for part in inner), default=0), count + sum(part.parts for part in inner)
            )
            self._sizes[id(core)] = size
        return size
