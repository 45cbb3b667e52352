"""Decide whether null, or any value at all, satisfies a subschema."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.lower.normalize.constraints import intersect_types, intersect_values
from mcpgen.lower.normalize.core import Places, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.places import NormalizationContext, find_alternatives, remove_alternatives
from mcpgen.schema.values import JSON_TYPES

MAX_BRANCH_DEPTH = 40
"""Levels of `anyOf` and `oneOf` inside each other that are followed to find null."""
MAX_PROPERTY_DEPTH = 3
"""Levels of required properties and alternatives that are looked into to find a contradiction."""


class SatisfiabilityChecker:
    """Finds what may be null, and places that contradict each other by their types, constants and required properties.

    Where either is not certain, the answer is yes.
    """

    def __init__(self, context: NormalizationContext) -> None:
        self._context = context
        self._nullable: dict[tuple[Places, int], bool] = {}
        self._possible: dict[tuple[frozenset[SchemaPlace], int], bool] = {}

    def accepts_null(self, places: Places, depth: int = 0) -> bool:
        """Report whether null may satisfy all these places."""
        key = (places, depth)
        if key not in self._nullable:
            self._nullable[key] = self._find_null(places, depth)
        return self._nullable[key]

    def _find_null(self, places: Places, depth: int) -> bool:
        parts = self._context.flatten(places)
        if parts is None or depth > MAX_BRANCH_DEPTH:
            return parts is not None
        if "null" not in intersect_types(parts):
            return False
        values = intersect_values(parts, JSON_TYPES)
        if values is not None and None not in values:
            return False
        return all(
            any(self.accepts_null((branch,), depth + 1) for branch in part.list_branches(keyword))
            for part in parts
            for keyword in ("anyOf", "oneOf")
            if keyword in part.schema
        )

    def is_possible(self, places: Places, depth: int = 0) -> bool:
        """Report whether a value may satisfy all these places."""
        key = (frozenset(places), depth)
        if key not in self._possible:
            self._possible[key] = self._find_value(places, depth)
        return self._possible[key]

    def _find_value(self, places: Places, depth: int) -> bool:
        parts = self._context.flatten(places)
        types = None if parts is None else intersect_types(parts)
        if parts is None or not types:
            return False
        values = intersect_values(parts, types)
        if values is not None:
            return bool(values)
        if depth >= MAX_PROPERTY_DEPTH:
            return True
        if types == {"object"} and not self._has_possible_properties(parts, depth):
            return False
        alternatives = find_alternatives(parts)
        base = remove_alternatives(parts, alternatives)
        return all(
            any(self.is_possible((branch, *base), depth + 1) for branch in alternative.branches)
            for alternative in alternatives
        )

    def _has_possible_properties(self, parts: Sequence[SchemaPart], depth: int) -> bool:
        required = dict.fromkeys(name for part in parts for name in part.required)
        for name in required:
            places: list[SchemaPlace] = []
            for part in parts:
                if name in part.properties:
                    places.append(part.locate("properties", name))
                elif part.schema.get("additionalProperties") is False and not part.schema.get("patternProperties"):
                    return False
            if places and not self.is_possible(tuple(places), depth + 1):
                return False
        return True
