"""Properties and items that `unevaluatedProperties` and `unevaluatedItems` leave to other keywords."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.inclusion.keyword_reader import LocationKey, make_key
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS

_EVALUATING_KEYWORDS = IN_PLACE_KEYWORDS - {"not"}
"""Keywords whose subschemas may evaluate properties and items of the same value."""


class EvaluatedProperties:
    """Properties that a subschema, or one that it applies to the same object, may evaluate."""

    def __init__(self, view: SchemaView, location: SchemaLocation) -> None:
        self.names: set[str] = set()
        self.patterns: list[str] = []
        self.all = False
        self.conditional = False
        """Whether some of them depend on the value, by way of an applied subschema."""
        self._view = view
        for part in _iterate_in_place(view, location):
            if part.at != location.at:
                self.all = self.all or view.has(part, "unevaluatedProperties")
                self.conditional = True
            self.names.update(view.get_named_subschemas(part, "properties"))
            self.patterns += view.get_named_subschemas(part, "patternProperties")
            self.all = self.all or view.has(part, "additionalProperties") or view.refers_outside(part)

    def may_contain(self, name: str) -> bool:
        """Return whether a property may be evaluated."""
        return (
            self.all
            or name in self.names
            or any(self._view.matches_pattern(pattern, name) for pattern in self.patterns)
        )


class EvaluatedItems:
    """Items that a subschema, or one that it applies to the same array, may evaluate."""

    def __init__(self, view: SchemaView, location: SchemaLocation) -> None:
        self._prefix_length, self._all = 0, False
        for part in _iterate_in_place(view, location):
            if part.at != location.at:
                self._all = self._all or view.has(part, "unevaluatedItems")
            self._prefix_length = max(self._prefix_length, len(view.get_prefix_items(part)))
            has_later_items = view.get_later_items(part) is not None or view.has(part, "contains")
            self._all = self._all or has_later_items or view.refers_outside(part)

    def may_contain(self, index: int | None) -> bool:
        """Return whether an item may be evaluated; the index None stands for those after every prefix."""
        return self._all or (index is not None and index < self._prefix_length)


def _iterate_in_place(view: SchemaView, location: SchemaLocation) -> Iterator[SchemaLocation]:
    """Yield a subschema and all subschemas that it may apply to the same value."""
    visited: set[LocationKey] = set()
    stack = [location]
    while stack:
        part = stack.pop()
        if make_key(part) in visited:
            continue
        visited.add(make_key(part))
        yield part
        if not isinstance(part.schema, dict):
            continue
        if not view.refers_outside(part):
            stack += view.resolve_references(part)
        for keyword in sorted(_EVALUATING_KEYWORDS & part.schema.keys()):
            stack += view.list_subschemas(part, keyword)
