"""Disjointness of conjunctions: whether two of them surely have no value in common."""

from __future__ import annotations

from mcpgen.compat.inclusion.bounds import NumberBound
from mcpgen.compat.inclusion.certainty import surely_lacks
from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.unions import split_union
from mcpgen.compat.inclusion.value_sets import is_empty_kind, list_values

DEEPEST_MEMBER = 3
"""Levels of properties and items that are compared."""
MOST_UNIONS = 2
"""Unions that are split, one inside the other."""


class DisjointnessChecker:
    """Comparison of conjunctions of a first and a second document."""

    def __init__(self, equivalence: EquivalenceChecker) -> None:
        self._equivalence = equivalence

    def are_disjoint(self, a: Conjunction, b: Conjunction, depth: int = 0) -> bool:
        """Return whether no value is valid under both.

        Args:
            a: a conjunction of the first document.
            b: a conjunction of the second document.
            depth: levels of properties and items above this one.
        """
        return all(self.are_disjoint_in_kind(a, b, kind, depth) for kind in a.kinds & b.kinds)

    def are_disjoint_in_kind(
        self, a: Conjunction, b: Conjunction, kind: str, depth: int = 0, unions: int = MOST_UNIONS
    ) -> bool:
        """Return whether no value of one kind is valid under both; `unions` is how many unions may be split."""
        if kind not in a.kinds or kind not in b.kinds or is_empty_kind(a, kind) or is_empty_kind(b, kind):
            return True
        if self._is_excluded(a, b):
            return True
        if (values := list_values(a, kind)) is not None:
            return all(surely_lacks(b, value) for value in values)
        if (values := list_values(b, kind)) is not None:
            return all(surely_lacks(a, value) for value in values)
        if depth < DEEPEST_MEMBER and self._differ_in_keywords(a, b, kind, depth):
            return True
        return unions > 0 and self._differ_in_branches(a, b, kind, depth, unions)

    def _is_excluded(self, a: Conjunction, b: Conjunction) -> bool:
        """Return whether one conjunction excludes a part of the other."""
        are_equivalent = self._equivalence.are_equivalent
        return any(are_equivalent(excluded, part) for excluded in a.excluded for part in b.parts) or any(
            are_equivalent(part, excluded) for excluded in b.excluded for part in a.parts
        )

    def _differ_in_branches(self, a: Conjunction, b: Conjunction, kind: str, depth: int, unions: int) -> bool:
        """Return whether each branch of a union on one side is disjoint from the other side."""
        if (cases := split_union(b)) and all(
            self.are_disjoint_in_kind(a, case, kind, depth, unions - 1) for case in cases
        ):
            return True
        cases = split_union(a)
        return bool(cases) and all(self.are_disjoint_in_kind(case, b, kind, depth, unions - 1) for case in cases or ())

    def _differ_in_keywords(self, a: Conjunction, b: Conjunction, kind: str, depth: int) -> bool:
        """Return whether sizes, bounds or members of the values cannot be the same."""
        match kind:
            case "object":
                return self._are_objects_disjoint(a, b, depth)
            case "array":
                return self._are_arrays_disjoint(a, b, depth)
            case "string":
                return _are_sizes_disjoint(a.find_size("minLength", "maxLength"), b.find_size("minLength", "maxLength"))
            case "integer" | "number":
                return _is_below(a.bounds[1], b.bounds[0]) or _is_below(b.bounds[1], a.bounds[0])
            case _:
                return False

    def _are_objects_disjoint(self, a: Conjunction, b: Conjunction, depth: int) -> bool:
        if _are_sizes_disjoint(a.objects.property_counts, b.objects.property_counts):
            return True
        return any(
            self.are_disjoint(a.objects.get_property(name), b.objects.get_property(name), depth + 1)
            for name in sorted(a.objects.required | b.objects.required)
        )

    def _are_arrays_disjoint(self, a: Conjunction, b: Conjunction, depth: int) -> bool:
        if _are_sizes_disjoint(a.arrays.item_counts, b.arrays.item_counts):
            return True
        least = max(a.arrays.item_counts[0], b.arrays.item_counts[0])
        common = range(min(least, max(a.arrays.prefix_length, b.arrays.prefix_length) + 1))
        return any(self.are_disjoint(a.arrays.get_item(index), b.arrays.get_item(index), depth + 1) for index in common)


def _are_sizes_disjoint(first: tuple[int, int | None], second: tuple[int, int | None]) -> bool:
    """Return whether two ranges of sizes have no size in common; an upper bound of None is infinite."""
    (low, high), (other_low, other_high) = first, second
    return (high is not None and high < other_low) or (other_high is not None and other_high < low)


def _is_below(high: NumberBound | None, low: NumberBound | None) -> bool:
    """Return whether an upper bound is below a lower bound."""
    if high is None or low is None:
        return False
    return high.value < low.value or (high.value == low.value and (high.excluded or low.excluded))
