"""What the rules for objects, arrays and scalars need of the comparison that calls them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.intersection import Conjunction
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ValuePath:
    """The way from the whole value to the one that is spoken of."""

    path: tuple[str, ...] = ()
    depth: int = 0
    inside: int = 0

    def step_into(self, name: str) -> ValuePath:
        """The way on, to a part."""
        return ValuePath((*self.path, name), self.depth + 1, self.inside)


class InclusionContext(Protocol):
    """One comparison of two documents, as its rules see it."""

    narrow: SchemaView
    alike: EquivalenceChecker
    apart: DisjointnessChecker

    def check_place(self, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
        """Return the gaps between a conjunction and a place."""
        ...

    def check_kind(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        """Return the gaps for the values of one JSON type."""
        ...

    def keeps_keywords(self, wide: Conjunction, narrow: SchemaLocation, *words: str) -> bool:
        """Return whether some part of the wide schema has the same keywords with the same values."""
        ...

    def make_gap(
        self,
        kind: GapKind,
        wide: Conjunction,
        narrow: SchemaLocation,
        way: ValuePath,
        word: str = "",
        name: str = "",
        values: tuple[str, ...] = (),
        hint: Json = None,
    ) -> Gap:
        """Make a gap at the place that the wide schema speaks from."""
        ...
