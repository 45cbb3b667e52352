"""Certainty about a conjunction: whether all values that its followed keywords allow really belong to it."""

from __future__ import annotations

from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.unions import is_settled
from mcpgen.schema.values import Json

_APPROXIMATED_KEYWORDS: dict[str, tuple[str, ...]] = {
    "": ("not", "if", "oneOf", "anyOf"),
    "object": ("dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "unevaluatedProperties"),
    "array": ("contains", "unevaluatedItems"),
    "string": ("pattern",),
    "integer": ("multipleOf",),
    "number": ("multipleOf",),
}
"""Keywords, by kind of value (the empty one: any kind), that may exclude more values than is followed."""


def is_doubtful(conjunction: Conjunction, kind: str) -> bool:
    """Return whether there may be fewer values of a kind than the followed keywords allow."""
    if conjunction.unsure:
        return True
    keywords = (*_APPROXIMATED_KEYWORDS[""], *_APPROXIMATED_KEYWORDS.get(kind, ()))
    return any(
        conjunction.view.has(part, keyword) and not is_settled(conjunction, part, keyword)
        for part in conjunction.parts
        for keyword in keywords
    )


def may_lack_kinds(conjunction: Conjunction) -> bool:
    """Return whether one of the conjunction's kinds may have no values after all."""
    view = conjunction.view
    return conjunction.unsure or any(view.has(part, keyword) for part in conjunction.parts for keyword in ("not", "if"))


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
