"""Decide whether null satisfies a subschema."""

from __future__ import annotations

from mcpgen.lower.normalize.alternatives import list_branches
from mcpgen.lower.normalize.constraints import intersect_types, intersect_values
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.values import JSON_TYPES

MAX_BRANCH_DEPTH = 40
"""Levels of `anyOf` and `oneOf` inside each other that are followed."""


class NullabilityChecker:
    """Finds the properties that may be null."""

    def __init__(self, places: PlaceReader) -> None:
        self._places = places
        self._results: dict[tuple[tuple[SchemaPlace, ...], int], bool] = {}

    def accepts_null(self, places: tuple[SchemaPlace, ...], depth: int = 0) -> bool:
        """Report whether null may satisfy all these places; where that is not certain, it may."""
        key = (places, depth)
        if key not in self._results:
            self._results[key] = self._check(places, depth)
        return self._results[key]

    def _check(self, places: tuple[SchemaPlace, ...], depth: int) -> bool:
        parts = self._places.flatten(places)
        if parts is None or depth > MAX_BRANCH_DEPTH:
            return parts is not None
        if "null" not in intersect_types(parts):
            return False
        values = intersect_values(parts, JSON_TYPES)
        if values is not None and None not in values:
            return False
        return all(
            any(self.accepts_null((branch,), depth + 1) for branch in list_branches(part, keyword))
            for part in parts
            for keyword in ("anyOf", "oneOf")
            if keyword in part.schema
        )
