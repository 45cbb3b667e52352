"""Find the schemas that describe a value together with others, so that none of them has to say everything."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, KEYWORD_TABLE, Role, iterate_subschemas, walk_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
_REFERENCES = frozenset(entry.name for entry in KEYWORD_TABLE.values() if entry.role is Role.REFERENCE)


def find_combined_places(schema: Json, dialect: str, *, is_part: bool = False) -> frozenset[str]:
    """Return the JSON pointers of the subschemas beside which others may describe the same value.

    Such are the members of `allOf`, `then` and the like, what is inside of them, and the definitions that they refer
    to. A member of `anyOf` or `oneOf` is none if these stand alone. If a reference leads to another file, which may
    refer back, all definitions are such.

    Args:
        schema: The schema.
        dialect: Its dialect.
        is_part: Whether schemas of another file refer to it, which may describe the same value.
    """
    index = SchemaIndex(schema, dialect)
    leads_out = any(
        target is None
        for place, inner in walk_subschemas(schema, dialect)
        for target in _find_targets(index, place, inner)
    )
    combined: set[str] = set()
    visited: set[tuple[str, bool]] = set()
    stack: list[tuple[str, Json, bool]] = [("", schema, is_part)]
    while stack:
        pointer, inner, is_combined = stack.pop()
        if (pointer, is_combined) in visited or not isinstance(inner, dict):
            continue
        visited.add((pointer, is_combined))
        is_combined = is_combined or "$dynamicAnchor" in inner  # which references lead to it depends on the value
        if is_combined:
            combined.add(pointer)
        is_shared = is_combined or _has_several_parts(inner)
        for path, child in iterate_subschemas(inner, dialect):
            role = KEYWORD_TABLE[path[0]].role
            child_is_combined = is_shared if path[0] in _ALTERNATIVES else role is Role.IN_PLACE or is_combined
            if role is Role.DEFINITIONS:
                child_is_combined = leads_out  # otherwise, what refers to it decides
            stack.append((pointer + format_pointer(*path), child, child_is_combined))
        for target in _find_targets(index, pointer, inner):
            if target is not None:
                stack.append((target, follow_pointer(schema, parse_pointer(target)), is_shared))
    return frozenset(combined)


def _has_several_parts(schema: dict[str, Json]) -> bool:
    """Return whether several keywords of a schema may describe the members of an object."""
    return len(schema.keys() & CONSTRAINING_KEYWORDS - {"type"}) > 1


def _find_targets(index: SchemaIndex, pointer: str, schema: Json) -> Iterator[str | None]:
    """Yield the pointer to which each reference of a schema may lead; None if that is in another file."""
    if not isinstance(schema, dict):
        return
    for keyword in _REFERENCES:
        reference = schema.get(keyword)
        if isinstance(reference, str):
            yield index.find_target(pointer, reference)
