"""Certainty about the values of conjunctions: whether there are any, and whether two have none in common."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.compat.inclusion.conjunction import Conjunction, NumberBound, is_settled, split_union
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.schema.keywords import REFUSING_KEYWORDS
from mcpgen.schema.values import Json

DEEPEST_EMPTINESS_CHECK = 3
"""Levels of required properties that are checked for having values at all."""
DEEPEST_MEMBER = 3
"""Levels of properties and items that are compared."""
MOST_UNIONS = 2
"""Unions that are split, one inside the other."""
_FOLLOWED_KEYWORDS = frozenset(
    (
        "$ref $dynamicRef type enum const allOf then else "
        "properties patternProperties additionalProperties required minProperties maxProperties "
        "prefixItems items additionalItems minItems maxItems uniqueItems minContains maxContains "
        "minLength maxLength minimum exclusiveMinimum maximum exclusiveMaximum"
    ).split()
)
"""Keywords whose effect on a conjunction is followed completely; also those without an effect of their own."""
_APPROXIMATED_KEYWORDS = {kind: names - _FOLLOWED_KEYWORDS for kind, names in REFUSING_KEYWORDS.items()}
"""Keywords, by kind of value, that may exclude more values than is followed."""


def is_empty_kind(conjunction: Conjunction, kind: str, depth: int = 0) -> bool:
    """Return whether a conjunction, inside of `depth` properties, surely has no value of a kind."""
    if kind not in conjunction.kinds or (values := conjunction.list_values(kind)) == []:
        return True
    if values is not None:
        return False
    if kind in ("integer", "number"):
        low, high = conjunction.bounds
        return _is_below(high, low)
    least, most = conjunction.find_sizes(kind)
    if most is not None and least > most:
        return True
    return (kind == "object" and depth < DEEPEST_EMPTINESS_CHECK) and any(
        is_empty(conjunction.objects.get_property(name), depth + 1) for name in conjunction.objects.required
    )


def is_empty(conjunction: Conjunction, depth: int = 0) -> bool:
    """Return whether a conjunction surely has no value at all."""
    return all(is_empty_kind(conjunction, kind, depth) for kind in conjunction.kinds)


def is_doubtful(conjunction: Conjunction, kind: str) -> bool:
    """Return whether there may be fewer values of a kind than the followed keywords allow."""
    return conjunction.unsure or any(
        not is_settled(conjunction, part, keyword)
        for keyword in _APPROXIMATED_KEYWORDS[kind]
        for part in conjunction.parts_with(keyword)
    )


def may_lack_kinds(conjunction: Conjunction) -> bool:
    """Return whether one of the conjunction's kinds may have no values after all."""
    return conjunction.unsure or bool(conjunction.parts_with("not", "if"))


def surely_contains(conjunction: Conjunction, value: Json) -> bool:
    """Return whether a value surely belongs to a conjunction."""
    is_valid = conjunction.view.is_valid
    return (
        not conjunction.impossible
        and not conjunction.unsure
        and all(is_valid(part, value) for part in conjunction.parts)
        and all(is_valid(location, value) is False for location in conjunction.excluded)
    )


def surely_lacks(conjunction: Conjunction, value: Json) -> bool:
    """Return whether a value surely does not belong to a conjunction."""
    is_valid = conjunction.view.is_valid
    return conjunction.impossible or (
        any(is_valid(part, value) is False for part in conjunction.parts)
        or any(is_valid(excluded, value) is True for excluded in conjunction.excluded)
    )


class DisjointnessChecker:
    """Comparison of conjunctions of a first and a second document."""

    def __init__(self, equivalence: EquivalenceChecker) -> None:
        self._equivalence = equivalence

    def are_disjoint(self, a: Conjunction, b: Conjunction, depth: int = 0) -> bool:
        """Return whether no value is valid under both, inside of `depth` properties and items."""
        return all(self.are_disjoint_in_kind(a, b, kind, depth) for kind in a.kinds & b.kinds)

    def are_disjoint_in_kind(
        self, a: Conjunction, b: Conjunction, kind: str, depth: int = 0, unions: int = MOST_UNIONS
    ) -> bool:
        """Return whether no value of one kind is valid under both; `unions` is how many unions may be split."""
        if kind not in a.kinds or kind not in b.kinds or is_empty_kind(a, kind) or is_empty_kind(b, kind):
            return True
        if self._is_excluded(a, b):
            return True
        if (values := a.list_values(kind)) is not None:
            return all(surely_lacks(b, value) for value in values)
        if (values := b.list_values(kind)) is not None:
            return all(surely_lacks(a, value) for value in values)
        if depth < DEEPEST_MEMBER and self._differ_in_keywords(a, b, kind, depth):
            return True
        return unions > 0 and self._differ_in_branches(a, b, kind, depth, unions)

    def _is_excluded(self, a: Conjunction, b: Conjunction) -> bool:
        are_equivalent = self._equivalence.are_equivalent
        return any(are_equivalent(excluded, part) for excluded in a.excluded for part in b.parts) or any(
            are_equivalent(part, excluded) for excluded in b.excluded for part in a.parts
        )

    def _differ_in_branches(self, a: Conjunction, b: Conjunction, kind: str, depth: int, unions: int) -> bool:
        if (cases := split_union(b)) and all(
            self.are_disjoint_in_kind(a, case, kind, depth, unions - 1) for case in cases
        ):
            return True
        cases = split_union(a)
        return bool(cases) and all(self.are_disjoint_in_kind(case, b, kind, depth, unions - 1) for case in cases or ())

    def _differ_in_keywords(self, a: Conjunction, b: Conjunction, kind: str, depth: int) -> bool:
        if kind in ("integer", "number"):
            return _is_below(a.bounds[1], b.bounds[0]) or _is_below(b.bounds[1], a.bounds[0])
        if _are_sizes_disjoint(a.find_sizes(kind), b.find_sizes(kind)):
            return True
        members: Iterable[tuple[Conjunction, Conjunction]] = ()
        if kind == "object":
            names = sorted(a.objects.required | b.objects.required)
            members = ((a.objects.get_property(name), b.objects.get_property(name)) for name in names)
        elif kind == "array":
            least = max(a.arrays.item_counts[0], b.arrays.item_counts[0])
            common = range(min(least, max(a.arrays.prefix_length, b.arrays.prefix_length) + 1))
            members = ((a.arrays.get_item(index), b.arrays.get_item(index)) for index in common)
        return any(self.are_disjoint(member, other, depth + 1) for member, other in members)


def _are_sizes_disjoint(first: tuple[int, int | None], second: tuple[int, int | None]) -> bool:
    (low, high), (other_low, other_high) = first, second
    return (high is not None and high < other_low) or (other_high is not None and other_high < low)


def _is_below(high: NumberBound | None, low: NumberBound | None) -> bool:
    if high is None or low is None:
        return False
    return high.value < low.value or (high.value == low.value and (high.excluded or low.excluded))
