"""Find branches that no value satisfies, so that they don't widen a union."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.lower.normalize.alternatives import find_alternatives, list_branches, remove_alternatives
from mcpgen.lower.normalize.constraints import intersect_types, intersect_values, list_required
from mcpgen.lower.normalize.core import SchemaPart, SchemaPlace
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.values import format_pointer

MAX_PROPERTY_DEPTH = 3
"""Levels of required properties and alternatives that are looked into."""


class SatisfiabilityChecker:
    """Finds places that contradict each other by their types, constants and required properties."""

    def __init__(self, places: PlaceReader) -> None:
        self._places = places
        self._results: dict[tuple[frozenset[SchemaPlace], int], bool] = {}

    def is_possible(self, places: tuple[SchemaPlace, ...], depth: int = 0) -> bool:
        """Report whether a value may satisfy all these places; where that is not certain, it may."""
        key = (frozenset(places), depth)
        if key not in self._results:
            self._results[key] = self._check(places, depth)
        return self._results[key]

    def _check(self, places: tuple[SchemaPlace, ...], depth: int) -> bool:
        parts = self._places.flatten(places)
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
            any(
                self.is_possible((branch, *base), depth + 1)
                for branch in list_branches(alternative.part, alternative.keyword)
            )
            for alternative in alternatives
        )

    def _has_possible_properties(self, parts: Sequence[SchemaPart], depth: int) -> bool:
        """Report whether no required property of an object is impossible."""
        required = dict.fromkeys(name for part in parts for name in list_required(part))
        for name in required:
            places: list[SchemaPlace] = []
            for part in parts:
                properties = part.schema.get("properties")
                if isinstance(properties, dict) and name in properties:
                    places.append(SchemaPlace(part.place.pointer + format_pointer("properties", name)))
                elif part.schema.get("additionalProperties") is False and not part.schema.get("patternProperties"):
                    return False
            if places and not self.is_possible(tuple(places), depth + 1):
                return False
        return True
