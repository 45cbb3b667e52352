"""Values of a conjunction, kind by kind: all of them where they are few, and whether there are none."""

from __future__ import annotations

import math

from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.schema.values import Json

MOST_ENUMERATED = 50
"""Integers of a range that are listed one by one."""
DEEPEST_EMPTINESS_CHECK = 3
"""Levels of required properties that are checked for having values at all."""


def list_values(conjunction: Conjunction, kind: str) -> list[Json] | None:
    """Return all values of a kind if they are few, perhaps too many; None if they are not."""
    if kind == "string":
        return conjunction.list_strings()
    values = conjunction.list_enumerated(kind)
    if values is None:
        values = _list_small_range(conjunction, kind)
    return None if values is None else [value for value in values if conjunction.may_contain(value)]


def _list_small_range(conjunction: Conjunction, kind: str) -> list[Json] | None:
    match kind:
        case "null":
            return [None]
        case "boolean":
            return [False, True]
        case "integer":
            low, high = conjunction.bounds
            if low is None or high is None:
                return None
            first, last = math.ceil(low.value), math.floor(high.value)
            return list(range(first, last + 1)) if last - first < MOST_ENUMERATED else None
        case "array":
            return [[]] if conjunction.arrays.item_counts[1] == 0 else None
        case "object":
            return [{}] if conjunction.objects.property_counts[1] == 0 else None
        case _:
            return None


def is_empty_kind(conjunction: Conjunction, kind: str, depth: int = 0) -> bool:
    """Return whether a conjunction surely has no value of a kind.

    Args:
        conjunction: the values.
        kind: one of `VALUE_KINDS`.
        depth: levels of properties above this one that are checked already.
    """
    if kind not in conjunction.kinds or (values := list_values(conjunction, kind)) == []:
        return True
    if values is not None:
        return False
    match kind:
        case "object":
            least, most = conjunction.objects.property_counts
            if most is not None and least > most:
                return True
            return depth < DEEPEST_EMPTINESS_CHECK and any(
                is_empty(conjunction.objects.get_property(name), depth + 1) for name in conjunction.objects.required
            )
        case "array":
            least, most = conjunction.arrays.item_counts
            return most is not None and least > most
        case "string":
            least, most = conjunction.find_size("minLength", "maxLength")
            return most is not None and least > most
        case "integer" | "number":
            low, high = conjunction.bounds
            if low is None or high is None:
                return False
            return low.value > high.value or (low.value == high.value and (low.excluded or high.excluded))
        case _:
            return False


def is_empty(conjunction: Conjunction, depth: int = 0) -> bool:
    """Return whether a conjunction surely has no value at all."""
    return all(is_empty_kind(conjunction, kind, depth) for kind in conjunction.kinds)
