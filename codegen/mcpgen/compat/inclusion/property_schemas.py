"""Properties of objects under several subschemas at once: their names, and the schemas of their values."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.unevaluated import EvaluatedProperties
from mcpgen.schema.document import SchemaLocation


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


def list_declared_names(view: SchemaView, parts: Sequence[SchemaLocation]) -> list[str]:
    """Return the names under `properties`, in order and without repetition."""
    return list(dict.fromkeys(name for part in parts for name in view.get_named_subschemas(part, "properties")))


def find_property_schemas(
    view: SchemaView, parts: Sequence[SchemaLocation], name: str
) -> tuple[list[SchemaLocation], bool]:
    """Return the schemas of a property's value, and whether there may be more of them."""
    schemas: list[SchemaLocation] = []
    incomplete = False
    for part in parts:
        declared = view.get_named_subschemas(part, "properties")
        matching = [declared[name]] if name in declared else []
        for pattern, schema in view.get_named_subschemas(part, "patternProperties").items():
            if view.matches_pattern(pattern, name):
                matching.append(schema)
        additional = view.get_subschema(part, "additionalProperties")
        if not matching and additional is not None:
            matching.append(additional)
        unevaluated = view.get_subschema(part, "unevaluatedProperties")
        if unevaluated is not None and not matching:
            if EvaluatedProperties(view, part).may_contain(name):
                incomplete = True
            else:
                matching.append(unevaluated)
        schemas += matching
    return schemas, incomplete


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
