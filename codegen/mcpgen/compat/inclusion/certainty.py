"""Certainty about a conjunction: whether all values that its followed keywords allow really belong to it."""

from __future__ import annotations

from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.unions import is_settled
from mcpgen.schema.keywords import REFUSING_KEYWORDS
from mcpgen.schema.values import Json

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
