"""List the properties that only apply under a condition: `if`, `dependentSchemas`, branches that are not unfolded."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.lower.normalize.alternatives import list_branches
from mcpgen.lower.normalize.core import SchemaPart, SchemaPlace
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.values import format_pointer


def find_conditional_properties(parts: Iterable[SchemaPart], places: PlaceReader) -> dict[str, tuple[SchemaPlace, ...]]:
    """Return the places of each property that some parts declare under a condition, in the order of the schema."""
    conditional: dict[str, dict[SchemaPlace, None]] = {}
    visited: set[SchemaPlace] = set()
    todo = [place for part in parts for place in _list_conditional_places(part)][::-1]
    while todo:
        place = todo.pop()
        if place in visited:
            continue
        visited.add(place)
        inner: list[SchemaPlace] = []
        for part in places.list_parts((place,)):
            properties = part.schema.get("properties")
            for name, schema in properties.items() if isinstance(properties, dict) else ():
                if schema is not False:
                    property_place = SchemaPlace(part.place.pointer + format_pointer("properties", name))
                    conditional.setdefault(name, {})[property_place] = None
            inner += _list_conditional_places(part)
        todo += reversed(inner)
    return {name: tuple(property_places) for name, property_places in conditional.items()}


def _list_conditional_places(part: SchemaPart) -> list[SchemaPlace]:
    pointer, schema = part.place.pointer, part.schema
    places = [place for keyword in ("anyOf", "oneOf") if keyword in schema for place in list_branches(part, keyword)]
    if "if" in schema:
        places += [SchemaPlace(f"{pointer}/{keyword}") for keyword in ("if", "then", "else") if keyword in schema]
    for keyword in ("dependentSchemas", "dependencies"):
        dependents = schema.get(keyword)
        for name, dependent in dependents.items() if isinstance(dependents, dict) else ():
            if isinstance(dependent, dict):
                places.append(SchemaPlace(pointer + format_pointer(keyword, name)))
    return places
