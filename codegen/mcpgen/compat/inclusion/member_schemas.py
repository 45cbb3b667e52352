"""Schemas of properties and items under several subschemas at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.compat.inclusion.schema_view import LocationKey, SchemaView, make_key
from mcpgen.schema.document import SchemaLocation, matches_pattern
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS

_OPEN_KEYWORDS = ("patternProperties", "additionalProperties", "unevaluatedProperties")
_EVALUATING_KEYWORDS = IN_PLACE_KEYWORDS - {"not"}
"""Keywords whose subschemas may evaluate properties and items of the same value."""


class PropertySchemas:
    """Schemas of declared and other properties."""

    def __init__(self, view: SchemaView, parts: Sequence[SchemaLocation]) -> None:
        self._view, self._parts = view, parts
        self.names: dict[str, list[int]] = {}
        """Names under `properties`, in order → indexes of the parts that declare them."""
        self._open: list[int] = []
        """Indexes of the parts that have schemas for properties with any name."""
        self._evaluated: dict[int, EvaluatedProperties] = {}
        """Index of a part with `unevaluatedProperties` → what it evaluates."""
        for index, part in enumerate(parts):
            for name in view.get_named_subschemas(part, "properties"):
                self.names.setdefault(name, []).append(index)
            if any(view.has(part, keyword) for keyword in _OPEN_KEYWORDS):
                self._open.append(index)

    def find_required(self, present: frozenset[str]) -> frozenset[str]:
        """Return the properties that every object has that has those that are assumed to be `present`."""
        required = present.union(*(self._view.get_names(part, "required") for part in self._parts))
        dependents = [dependent for part in self._parts for dependent in self._view.list_dependents(part)]
        while True:
            triggered = (dependent.names for dependent in dependents if dependent.trigger in required)
            implied = required.union(*triggered)
            if implied == required:
                return required
            required = implied

    def find(self, name: str) -> tuple[list[SchemaLocation], bool]:
        """Return the schemas of a property's value, and whether there may be more of them."""
        view = self._view
        schemas: list[SchemaLocation] = []
        incomplete = False
        for index in sorted({*self.names.get(name, ()), *self._open}):
            part = self._parts[index]
            matching = self._find_matching(part, name)
            additional = view.get_subschema(part, "additionalProperties")
            if not matching and additional is not None:
                matching.append(additional)
            unevaluated = view.get_subschema(part, "unevaluatedProperties")
            if unevaluated is not None and not matching:
                if self._get_evaluated(index).may_contain(name):
                    incomplete = True
                else:
                    matching.append(unevaluated)
            schemas += matching
        return schemas, incomplete

    def _find_matching(self, part: SchemaLocation, name: str) -> list[SchemaLocation]:
        declared = self._view.get_named_subschemas(part, "properties")
        patterns = self._view.get_named_subschemas(part, "patternProperties")
        matching = [declared[name]] if name in declared else []
        return matching + [schema for pattern, schema in patterns.items() if matches_pattern(pattern, name)]

    def _get_evaluated(self, index: int) -> EvaluatedProperties:
        if index not in self._evaluated:
            self._evaluated[index] = EvaluatedProperties(self._view, self._parts[index])
        return self._evaluated[index]

    def list_undeclared_choices(
        self, ignored_patterns: frozenset[str]
    ) -> tuple[list[list[tuple[SchemaLocation, ...]]], bool]:
        """Return alternatives for undeclared properties by part, none for no property, and whether there are more."""
        view = self._view
        choices: list[list[tuple[SchemaLocation, ...]]] = []
        incomplete = False
        for index, part in enumerate(self._parts):
            patterns = view.get_named_subschemas(part, "patternProperties")
            alternatives = [(schema,) for pattern, schema in patterns.items() if pattern not in ignored_patterns]
            additional = view.get_subschema(part, "additionalProperties")
            unevaluated = view.get_subschema(part, "unevaluatedProperties")
            if additional is None and unevaluated is not None:
                evaluated = self._get_evaluated(index)
                incomplete = incomplete or evaluated.conditional
                additional = None if evaluated.all or evaluated.patterns else unevaluated
            rest = () if additional is None else (additional,)
            choices.append([choice for choice in (*alternatives, rest) if all(at.schema is not False for at in choice)])
        return choices, incomplete


class ItemSchemas:
    """Schemas of items: the first ones of a prefix, and those after it."""

    def __init__(self, view: SchemaView, parts: Sequence[SchemaLocation]) -> None:
        self._view, self._parts = view, parts
        self.prefix_length = max((len(view.get_prefix_items(part)) for part in parts), default=0)

    def find(self, index: int | None) -> list[SchemaLocation]:
        """Return the schemas of an item; the index None stands for the items after every prefix."""
        view = self._view
        schemas: list[SchemaLocation] = []
        for part in self._parts:
            prefix, later = view.get_prefix_items(part), view.get_later_items(part)
            unevaluated = view.get_subschema(part, "unevaluatedItems")
            if index is not None and index < len(prefix):
                schemas.append(prefix[index])
            elif later is not None:
                schemas.append(later)
            elif unevaluated is not None and not EvaluatedItems(view, part).may_contain(index):
                schemas.append(unevaluated)
        return schemas


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
        return self.all or name in self.names or any(matches_pattern(pattern, name) for pattern in self.patterns)


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
