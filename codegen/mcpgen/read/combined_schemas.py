"""Find the schemas that describe a value together with others, so that none of them has to say everything."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, KEYWORD_TABLE, Role, iterate_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

_ALTERNATIVES = frozenset({"anyOf", "oneOf"})


def find_combined_places(schema: Json, dialect: str) -> frozenset[str]:
    """Return the JSON pointers of the subschemas beside which others may describe the same value.

    Such are the members of `allOf`, `then` and the like, what is inside of them, and the definitions that they refer
    to. A member of `anyOf` or `oneOf` is none if these stand alone.
    """
    combined: set[str] = set()
    visited: set[tuple[str, bool]] = set()
    stack: list[tuple[str, Json, bool]] = [("", schema, False)]
    while stack:
        pointer, inner, is_combined = stack.pop()
        if (pointer, is_combined) in visited or not isinstance(inner, dict):
            continue
        visited.add((pointer, is_combined))
        if is_combined:
            combined.add(pointer)
        is_shared = is_combined or _has_several_parts(inner)
        for path, child in iterate_subschemas(inner, dialect):
            role = KEYWORD_TABLE[path[0]].role
            child_is_combined = is_shared if path[0] in _ALTERNATIVES else role is Role.IN_PLACE or is_combined
            if role is Role.DEFINITIONS:
                child_is_combined = False  # what refers to it decides
            stack.append((pointer + format_pointer(*path), child, child_is_combined))
        stack.extend((place, target, is_shared) for place, target in _follow_reference(schema, inner))
    return frozenset(combined)


def _has_several_parts(schema: dict[str, Json]) -> bool:
    """Return whether several keywords of a schema may describe the members of an object."""
    return len(schema.keys() & CONSTRAINING_KEYWORDS - {"type"}) > 1


def _follow_reference(root: Json, schema: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield the pointer and the schema of what a local reference leads to."""
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference[:1] == "#" and reference[1:2] in ("", "/"):
        try:
            yield reference[1:], follow_pointer(root, parse_pointer(reference[1:]))
        except (KeyError, ValueError):
            return
