"""Properties of objects under several subschemas at once: their names, and the schemas of their values."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.unevaluated import EvaluatedProperties
from mcpgen.schema.document import SchemaLocation

_OPEN_KEYWORDS = ("patternProperties", "additionalProperties", "unevaluatedProperties")


def find_required_names(view: SchemaView, parts: Sequence[SchemaLocation], present: frozenset[str]) -> frozenset[str]:
    """Return the properties that every object has.

    Args:
        view: the document of the parts.
        parts: subschemas that all apply.
        present: properties that are assumed to be there.
    """
    required = set(present)
    for part in parts:
        required.update(view.get_names(part, "required"))
    complete = False
    while not complete:
        implied = {
            name
            for part in parts
            for dependent in view.list_dependents(part)
            if dependent.trigger in required
            for name in dependent.names
        }
        complete = implied <= required
        required |= implied
    return frozenset(required)


class PropertySchemas:
    """Schemas of declared and other properties under several subschemas at once."""

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
        """Return the schemas that one part has for a property, by its name or by a pattern."""
        declared = self._view.get_named_subschemas(part, "properties")
        patterns = self._view.get_named_subschemas(part, "patternProperties")
        matching = [declared[name]] if name in declared else []
        return matching + [schema for pattern, schema in patterns.items() if self._view.matches_pattern(pattern, name)]

    def _get_evaluated(self, index: int) -> EvaluatedProperties:
        if index not in self._evaluated:
            self._evaluated[index] = EvaluatedProperties(self._view, self._parts[index])
        return self._evaluated[index]


def list_undeclared_choices(
    view: SchemaView, parts: Sequence[SchemaLocation], ignored_patterns: frozenset[str]
) -> tuple[list[list[tuple[SchemaLocation, ...]]], bool]:
    """Return the schemas that an undeclared property may have to satisfy.

    Args:
        view: the document of the parts.
        parts: subschemas that all apply.
        ignored_patterns: `patternProperties` that the property's name does not match.

    Returns:
        For each part the alternatives, one of which applies: a pattern's schema, or that of additional properties;
        no alternative means that there are no undeclared properties. Then whether there may be more schemas.
    """
    choices: list[list[tuple[SchemaLocation, ...]]] = []
    incomplete = False
    for part in parts:
        alternatives: list[tuple[SchemaLocation, ...]] = [
            (schema,)
            for pattern, schema in view.get_named_subschemas(part, "patternProperties").items()
            if pattern not in ignored_patterns
        ]
        additional = view.get_subschema(part, "additionalProperties")
        unevaluated = view.get_subschema(part, "unevaluatedProperties")
        if additional is None and unevaluated is not None:
            evaluated = EvaluatedProperties(view, part)
            incomplete = incomplete or evaluated.conditional
            additional = None if evaluated.all or evaluated.patterns else unevaluated
        alternatives.append(() if additional is None else (additional,))
        choices.append([schemas for schemas in alternatives if not any(schema.schema is False for schema in schemas)])
    return choices, incomplete
