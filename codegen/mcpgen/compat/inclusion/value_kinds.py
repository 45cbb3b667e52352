"""Kinds of values, and those that may be valid under a subschema."""

from __future__ import annotations

from mcpgen.compat.inclusion.keyword_reader import KeywordReader, LocationKey, make_key
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import get_json_type

VALUE_KINDS = ("null", "boolean", "object", "array", "string", "integer", "number")
"""Kinds of values; unlike the JSON Schema type, `number` excludes integers here, so that each value has one kind."""
DEEPEST_REFERENCE = 30
"""References and applicators followed one inside the other to find the kinds of a subschema's values."""


class KindFinder:
    """Kinds of values that may be valid under the subschemas of a document."""

    def __init__(self, reader: KeywordReader) -> None:
        self._reader = reader
        self._kinds: dict[LocationKey, frozenset[str]] = {}

    def find(self, location: SchemaLocation, depth: int = 0) -> frozenset[str]:
        """Return the kinds of values that may be valid under a subschema: perhaps too many, never too few."""
        key = make_key(location)
        if key in self._kinds:
            return self._kinds[key]
        if location.schema is False:
            return frozenset()
        if not isinstance(location.schema, dict) or depth > DEEPEST_REFERENCE:
            return frozenset(VALUE_KINDS)
        kinds = frozenset(VALUE_KINDS)
        if not self._reader.refers_outside(location):
            for target in self._reader.resolve_references(location):
                kinds &= self.find(target, depth + 1)
        if self._reader.has_effective_keywords(location):
            kinds &= self._find_keyword_kinds(location, depth)
        if depth == 0:
            self._kinds[key] = kinds
        return kinds

    def _find_keyword_kinds(self, location: SchemaLocation, depth: int) -> frozenset[str]:
        kinds = frozenset(VALUE_KINDS)
        if self._reader.has(location, "type"):
            kinds &= expand_types(self._reader.get_names(location, "type"))
        for keyword in ("enum", "const"):
            if self._reader.has(location, keyword):
                kinds &= frozenset(
                    get_json_type(value) for value in self._reader.list_allowed_values(location, keyword)
                )
        for conjunct in self._reader.get_subschemas(location, "allOf"):
            kinds &= self.find(conjunct, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if branches := self._reader.get_subschemas(location, keyword):
                kinds &= frozenset[str]().union(*(self.find(branch, depth + 1) for branch in branches))
        negated = self._reader.get_subschema(location, "not")
        if negated is not None and isinstance(negated.schema, dict) and negated.schema.keys() == {"type"}:
            kinds -= expand_types(self._reader.get_names(negated, "type"))
        return kinds


def expand_types(types: list[str]) -> frozenset[str]:
    """Return the kinds of values that JSON Schema types stand for."""
    kinds = frozenset(types)
    return kinds | {"integer"} if "number" in kinds else kinds


def sort_kinds(kinds: frozenset[str]) -> tuple[str, ...]:
    """Return kinds of values in the order of messages."""
    return tuple(kind for kind in VALUE_KINDS if kind in kinds)
