"""Whether two conjunctions, of two documents, surely have no value in common."""

from __future__ import annotations

from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.intersection import Conjunction, NumberBound
from mcpgen.schema.values import Json

DEEPEST_MEMBER = 3
MOST_UNIONS = 2
"""Unions that are taken apart, one inside of the other."""


class DisjointnessChecker:
    """Compares conjunctions of a first and a second document."""

    def __init__(self, alike: EquivalenceChecker) -> None:
        self._alike = alike

    def are_disjoint(self, a: Conjunction, b: Conjunction, depth: int = 0) -> bool:
        """Whether no value satisfies both."""
        return all(self.are_disjoint_in_kind(a, b, kind, depth) for kind in a.kinds & b.kinds)

    def are_disjoint_in_kind(
        self, a: Conjunction, b: Conjunction, kind: str, depth: int = 0, unions: int = MOST_UNIONS
    ) -> bool:
        """Whether no value of a kind satisfies both."""
        if kind not in a.kinds or kind not in b.kinds or a.is_empty(kind) or b.is_empty(kind):
            return True
        if any(self._alike.are_equivalent(one, part) for one in a.excluded for part in b.parts):
            return True
        if any(self._alike.are_equivalent(part, one) for one in b.excluded for part in a.parts):
            return True
        values = a.values(kind)
        if values is not None:
            return all(_refuses(b, value) for value in values)
        values = b.values(kind)
        if values is not None:
            return all(_refuses(a, value) for value in values)
        if depth < DEEPEST_MEMBER and self._by_kind(a, b, kind, depth):
            return True
        if unions:
            for cases, other, first in ((b.split_union(), a, False), (a.split_union(), b, True)):
                for case in (cases,) if cases else ():
                    pairs = ((one, other) if first else (other, one) for one in case)
                    if all(self.are_disjoint_in_kind(x, y, kind, depth, unions - 1) for x, y in pairs):
                        return True
        return False

    def _by_kind(self, a: Conjunction, b: Conjunction, kind: str, depth: int) -> bool:
        match kind:
            case "object":
                return self._objects(a, b, depth)
            case "array":
                (low, high), (other_low, other_high) = a.item_counts, b.item_counts
                if _are_sizes_disjoint(low, high, other_low, other_high):
                    return True
                common = range(min(max(low, other_low), max(a.fixed, b.fixed) + 1))
                return any(self.are_disjoint(a.item(index), b.item(index), depth + 1) for index in common)
            case "string":
                return _are_sizes_disjoint(*a.size("minLength", "maxLength"), *b.size("minLength", "maxLength"))
            case "integer" | "number":
                return _are_bounds_disjoint(a.bounds[1], b.bounds[0]) or _are_bounds_disjoint(b.bounds[1], a.bounds[0])
            case _:
                return False

    def _objects(self, a: Conjunction, b: Conjunction, depth: int) -> bool:
        if _are_sizes_disjoint(*a.property_counts, *b.property_counts):
            return True
        return any(
            self.are_disjoint(a.property(name), b.property(name), depth + 1) for name in sorted(a.required | b.required)
        )


def _refuses(one: Conjunction, value: Json) -> bool:
    """Whether a value surely is not among these."""
    return one.impossible or (
        any(one.book.is_valid(part, value) is False for part in one.parts)
        or any(one.book.is_valid(ruled_out, value) is True for ruled_out in one.excluded)
    )


def _are_sizes_disjoint(low: int, high: int | None, other_low: int, other_high: int | None) -> bool:
    return (high is not None and high < other_low) or (other_high is not None and other_high < low)


def _are_bounds_disjoint(high: NumberBound | None, low: NumberBound | None) -> bool:
    if high is None or low is None:
        return False
    return high.value < low.value or (high.value == low.value and (high.excluded or low.excluded))
