"""Gaps: places where a value of the wide schema may be invalid under the narrow one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mcpgen.schema.values import Json


class GapKind(StrEnum):
    """Way in which the wide schema goes beyond the narrow one."""

    TYPE = "a type that the narrow schema does not have"
    VALUE = "values that the narrow schema does not have"
    FREE = "any value where the narrow schema has an enum or const"
    REQUIRED = "a property that the narrow schema requires may be missing"
    UNDECLARED = "a property that the narrow schema requires and the wide one does not declare"
    EXTRA = "a declared property that the narrow schema refuses"
    OPEN = "undeclared properties that the narrow schema refuses"
    UNTYPED = "a property of any type where the narrow schema declares one"
    UNTYPED_OTHERS = "undeclared properties of any type where the narrow schema has a schema for them"
    PROPERTY_NAMES = "property names that the narrow schema refuses"
    MIN_PROPERTIES = "fewer properties"
    MAX_PROPERTIES = "more properties"
    DEPENDENT = "a property without those that the narrow schema requires along with it"
    UNTYPED_ITEMS = "items of any type where the narrow schema has a schema for them"
    MORE_ITEMS = "items where the narrow schema allows none"
    MIN_ITEMS = "fewer items"
    MAX_ITEMS = "more items"
    UNIQUE = "equal items"
    CONTAINS = "too few or too many items that match the narrow schema's `contains`"
    MINIMUM = "smaller numbers"
    MAXIMUM = "larger numbers"
    MULTIPLE = "numbers between the steps"
    MIN_LENGTH = "shorter strings"
    MAX_LENGTH = "longer strings"
    PATTERN = "strings that the narrow schema's pattern does not match"
    VARIANT = "values that match no branch of the narrow schema's union"
    OVERLAP = "values that match several branches of the narrow schema's oneOf"
    EXCLUDED = "values that the narrow schema's `not` excludes"
    CONDITION = "values that the narrow schema's if/then/else refuses"
    FORBIDDEN = "values where the narrow schema allows none"
    UNKNOWN = "a change that the comparison cannot follow"


@dataclass(frozen=True)
class Gap:
    """Place at which a value of the wide schema may be invalid under the narrow one."""

    kind: GapKind
    path: tuple[str, ...]
    """Steps to the value: property names, and `*` for items and undeclared properties."""
    wide_pointer: str
    """JSON pointer to the subschema of the wide schema."""
    narrow_pointer: str
    """JSON pointer to the subschema of the narrow schema."""
    keyword: str = ""
    """The keyword of the narrow schema that refuses the value."""
    certain: bool = True
    """Whether such a value surely exists, provided that the wide schema has values at all."""
    name: str = ""
    """The property concerned, for gaps about a single property."""
    constraint: Json = None
    """The value of the keyword in the narrow schema."""
    hint: Json = field(default=None, hash=False)
    """A schema that describes such values at the wide schema's place, None if there is none."""
    values: tuple[str, ...] = ()
    """The new types, or the new values as JSON text."""

    def as_uncertain(self) -> Gap:
        """Return the same gap, not certain."""
        return replace(self, certain=False)


WILDCARD = "*"
"""Step of a path that stands for any item or undeclared property."""


def merge_gaps(gaps: Iterable[Gap]) -> list[Gap]:
    """Merge the gaps between the same two subschemas.

    The merged gap has the shortest path, is certain if one of the gaps is, and has the values of all.
    """
    merged: dict[tuple[object, ...], Gap] = {}
    for gap in gaps:
        key = (gap.kind, gap.wide_pointer, gap.narrow_pointer, gap.keyword, gap.name)
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = gap
            continue
        values = tuple(dict.fromkeys((*earlier.values, *gap.values)))
        base = min(earlier, gap, key=lambda candidate: (not candidate.certain, len(candidate.path)))
        merged[key] = replace(base, values=values)
    return list(merged.values())
