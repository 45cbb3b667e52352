"""What is found where not every value of a wide schema is a value of a narrow one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from mcpgen.schema.values import Json


class GapKind(StrEnum):
    """In which way the wide schema goes beyond the narrow one."""

    TYPE = "a type that the narrow schema does not have"
    VALUE = "values that the narrow schema does not have"
    FREE = "any value where the narrow schema has an enum or const"
    REQUIRED = "a property that the narrow schema requires may be missing"
    UNDECLARED = "a property that the narrow schema requires and the wide one does not know"
    EXTRA = "a declared property that the narrow schema refuses"
    OPEN = "undeclared properties that the narrow schema refuses"
    UNTYPED = "a property of any type where the narrow schema declares one"
    UNTYPED_OTHERS = "undeclared properties of any type where the narrow schema has a schema for them"
    PROPERTY_NAMES = "names of properties that the narrow schema refuses"
    MIN_PROPERTIES = "fewer properties"
    MAX_PROPERTIES = "more properties"
    DEPENDENT = "a property without those that the narrow schema asks for beside it"
    UNTYPED_ITEMS = "items of any type where the narrow schema has a schema for them"
    MORE_ITEMS = "items where the narrow schema has none"
    MIN_ITEMS = "fewer items"
    MAX_ITEMS = "more items"
    UNIQUE = "items that are alike"
    CONTAINS = "items among which those that the narrow schema asks for are missing, or too many"
    MINIMUM = "smaller numbers"
    MAXIMUM = "larger numbers"
    MULTIPLE = "numbers between the steps"
    MIN_LENGTH = "shorter strings"
    MAX_LENGTH = "longer strings"
    PATTERN = "strings that the narrow schema's pattern does not match"
    VARIANT = "a form that none of the narrow schema's alternatives takes"
    OVERLAP = "values of several of the alternatives of which the narrow schema wants one"
    EXCLUDED = "values that the narrow schema rules out"
    CONDITION = "values that the narrow schema's condition refuses"
    FORBIDDEN = "values where the narrow schema has none"
    UNKNOWN = "it could not be followed"


@dataclass(frozen=True)
class Gap:
    """A place at which values of the wide schema may not be values of the narrow one."""

    kind: GapKind
    path: tuple[str, ...]
    """The way to the value: names of properties, `*` for items and undeclared properties."""
    wide: str
    """Pointer of the wide schema's place."""
    narrow: str
    """Pointer of the narrow schema's place."""
    word: str = ""
    """The keyword of the narrow schema that speaks there."""
    certain: bool = True
    """Whether there surely is such a value, as long as there are values at all."""
    name: str = ""
    """The property that it is about."""
    given: Json = None
    """What the narrow schema says there."""
    hint: Json = field(default=None, hash=False)
    """A schema that such values satisfy at the wide schema's place, as far as one can be told."""
    values: tuple[str, ...] = ()
    """Types or values (as JSON) that are new."""

    def as_uncertain(self) -> Gap:
        """The same, not certain."""
        return replace(self, certain=False)


WILDCARD = "*"
"""An undeclared property or an item, on the way to a value."""
