"""Schema document as the inclusion check reads it: keywords of each subschema, kinds of values, and validation."""

from __future__ import annotations

from functools import cached_property

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.compat.inclusion.keyword_reader import KeywordReader
from mcpgen.compat.inclusion.value_kinds import KindFinder
from mcpgen.schema.document import SchemaLocation, SubschemaValidators, matches_pattern
from mcpgen.schema.values import Json


def has_member(value: Json, names: frozenset[str]) -> bool:
    """Return whether an object with one of some members is anywhere inside a JSON value."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            if not names.isdisjoint(inner):
                return True
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)
    return False


class SchemaView(KeywordReader):
    """Schema document that can also say which values are valid."""

    def __init__(self, schema: Json, dialect: str) -> None:
        super().__init__(schema, dialect)
        self.dynamic = not self.draft_07 and has_member(schema, frozenset(["$dynamicRef"]))
        """Whether the meaning of a subschema may depend on how it was reached."""
        self._kinds = KindFinder(self)

    def find_kinds(self, location: SchemaLocation) -> frozenset[str]:
        """Return the kinds of values that may be valid under a subschema: perhaps too many, never too few."""
        return self._kinds.find(location)

    @cached_property
    def _validators(self) -> SubschemaValidators | None:
        try:
            return SubschemaValidators(self.schema, self.dialect)
        except ValueError:
            return None

    def is_valid(self, location: SchemaLocation, value: Json) -> bool | None:
        """Return whether a value is valid under a subschema on its own, None if that cannot be decided."""
        if isinstance(location.schema, bool):
            return location.schema
        if (self.dynamic and location.at) or self._validators is None:
            return None
        validator = self._validators.find_validator(location.at)
        try:
            with contained():
                return None if validator is None else validator.is_valid(value)
        except CheckFailed:
            return None

    def matches_pattern(self, pattern: str, text: str) -> bool:
        """Return whether a regular expression matches somewhere in a text."""
        return matches_pattern(pattern, text)
