"""Walks over the schemas of a definition, for rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.lint.rule import LintedDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, find_property, format_pointer

_PARTIAL = re.compile(r"(?<!/properties)(?<!/\$defs)/(?:allOf|if|then|else|not|dependentSchemas|contains)(?=/|$)")
"""A keyword, and no property or definition of that name, in a pointer."""


@dataclass(frozen=True)
class Place:
    """A subschema: its pointer, and the keyword that holds it; for a root, that is empty."""

    pointer: str
    keyword: str
    schema: Json


def walk_places(schema: Schema) -> Iterator[Place]:
    """Yield a schema and all schemas inside it, in the order of the document; pointers begin at the schema."""
    stack = [Place("", "", schema.value)]
    while stack:
        place = stack.pop()
        yield place
        if isinstance(place.schema, dict):
            children = [
                Place(place.pointer + format_pointer(*path), path[0], child)
                for path, child in iterate_subschemas(place.schema, schema.dialect)
            ]
            stack.extend(reversed(children))


def walk_input_objects(definition: LintedDefinition) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """Yield the pointer in the definition, the keyword and the schema of each schema object of an inputSchema."""
    if definition.input is not None:
        for place in walk_places(definition.input):
            if isinstance(place.schema, dict):
                yield f"/inputSchema{place.pointer}", place.keyword, place.schema


def walk_parameters(definition: LintedDefinition) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """Yield as `walk_input_objects` does, but only schemas that describe a value by themselves.

    What is below `allOf`, `if` or `not` adds to what others say of the same value.
    """
    for pointer, keyword, schema in walk_input_objects(definition):
        if not _PARTIAL.search(pointer):
            yield pointer, keyword, schema


def get_types(schema: dict[str, Json]) -> list[Json]:
    """Return the types that a schema object names."""
    named = schema.get("type")
    return named if isinstance(named, list) else [] if named is None else [named]


def describe_place(pointer: str) -> str:
    """Return the name of a subschema for messages: its last property, or what it is."""
    name = find_property(pointer)
    if name is not None:
        return f'"{name}"'
    return "an object in it" if pointer.count("/") > 1 else "its root"
