"""Gaps: places where a value of the producer's schema may be invalid under the consumer's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mcpgen.schema.values import Json


class GapKind(StrEnum):
    """Way in which the producer's schema goes beyond the consumer's."""

    TYPE = "a type that the consumer's schema does not have"
    VALUE = "values that the consumer's schema does not have"
    FREE = "any value where the consumer's schema has an enum or const"
    REQUIRED = "a property that the consumer's schema requires may be missing"
    UNDECLARED = "a property that the consumer's schema requires and the producer's does not declare"
    EXTRA = "a declared property that the consumer's schema refuses"
    OPEN = "undeclared properties that the consumer's schema refuses"
    UNTYPED = "a property of any type where the consumer's schema declares one"
    UNTYPED_OTHERS = "undeclared properties of any type where the consumer's schema has a schema for them"
    PROPERTY_NAMES = "property names that the consumer's schema refuses"
    MIN_PROPERTIES = "fewer properties"
    MAX_PROPERTIES = "more properties"
    DEPENDENT = "a property without those that the consumer's schema requires along with it"
    UNTYPED_ITEMS = "items of any type where the consumer's schema has a schema for them"
    MORE_ITEMS = "items where the consumer's schema allows none"
    MIN_ITEMS = "fewer items"
    MAX_ITEMS = "more items"
    UNIQUE = "equal items"
    CONTAINS = "too few or too many items that match the consumer's `contains`"
    MINIMUM = "smaller numbers"
    MAXIMUM = "larger numbers"
    MULTIPLE = "numbers between the steps"
    MIN_LENGTH = "shorter strings"
    MAX_LENGTH = "longer strings"
    PATTERN = "strings that the consumer's pattern does not match"
    VARIANT = "values that match no branch of the consumer's union"
    OVERLAP = "values that match several branches of the consumer's oneOf"
    EXCLUDED = "values that the consumer's `not` excludes"
    CONDITION = "values that the consumer's if/then/else refuses"
    FORBIDDEN = "values where the consumer's schema allows none"
    UNKNOWN = "a change that the comparison cannot follow"


@dataclass(frozen=True)
class Gap:
    """Place at which a value of the producer's schema may be invalid under the consumer's."""

    kind: GapKind
    path: tuple[str, ...]
    """Steps to the value: property names, and `*` for items and undeclared properties."""
    producer_pointer: str
    consumer_pointer: str
    keyword: str = ""
    """The keyword of the consumer's schema that refuses the value."""
    certain: bool = True
    """Whether such a value surely exists, provided that the producer's schema has values at all."""
    name: str = ""
    """The property concerned, for gaps about a single property."""
    constraint: Json = None
    witness_schema: Json = field(default=None, hash=False)
    """A schema that describes such values at the producer's place, None if there is none."""
    values: tuple[str, ...] = ()
    """The new types, or the new values as JSON text."""
    kinds: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """For gaps about types, the kinds of values of the producer's schema and of the consumer's."""

    @property
    def is_disjoint(self) -> bool:
        """Whether the two schemas, whose kinds of values are known, have none in common."""
        return all(self.kinds) and set(self.kinds[0]).isdisjoint(self.kinds[1])

    def as_uncertain(self) -> Gap:
        """Return the same gap, not certain."""
        return replace(self, certain=False)


WILDCARD = "*"
"""Step of a path that stands for any item or undeclared property."""


def merge_gaps(gaps: Iterable[Gap]) -> list[Gap]:
    """Merge the gaps between the same subschemas: the shortest path, all values, certain if one is."""
    merged: dict[tuple[object, ...], Gap] = {}
    for gap in gaps:
        key = (gap.kind, gap.producer_pointer, gap.consumer_pointer, gap.keyword, gap.name)
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = gap
            continue
        values = tuple(dict.fromkeys((*earlier.values, *gap.values)))
        base = min(earlier, gap, key=lambda candidate: (not candidate.certain, len(candidate.path)))
        merged[key] = replace(base, values=values)
    return list(merged.values())
