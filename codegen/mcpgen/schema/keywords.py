"""Where a JSON Schema holds other schemas, keyword by keyword, and which dialects there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcpgen.schema.values import Json

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema"

ONE = frozenset(
    (
        "additionalItems additionalProperties contains contentSchema else if items not propertyNames then "
        "unevaluatedItems unevaluatedProperties"
    ).split()
)
"""Keywords whose value is a schema."""
MANY = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
"""Keywords whose value is a list of schemas (`items` in draft-07 only)."""
NAMED = frozenset(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])
"""Keywords whose value maps names to schemas (`dependencies` in draft-07: or to lists of names)."""
ASSERTIONS = frozenset(
    (
        "const enum exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum "
        "minItems minLength minProperties minimum multipleOf pattern required type uniqueItems "
        "dependentRequired maxContains minContains contentEncoding contentMediaType"
    ).split()
)
IDENTIFIERS = frozenset(
    ["$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary"]
)
ANNOTATIONS = frozenset(["default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"])
KEYWORDS = ONE | MANY | NAMED | ASSERTIONS | IDENTIFIERS | ANNOTATIONS
"""Every keyword of 2020-12 and draft-07 together."""


def dialect_of(schema: Json, default: str = DRAFT_2020_12) -> str | None:
    """The dialect that a schema's root asks for, or None when it is one that is not supported."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return default
    if not isinstance(named, str):
        return None
    bare = named.rstrip("#")
    return bare if bare in (DRAFT_2020_12, DRAFT_07) else None


def subschemas(schema: dict[str, Json], dialect: str) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The schemas directly inside a schema object, each with the tokens that lead to it."""
    if dialect == DRAFT_07 and "$ref" in schema:
        named = ("definitions", "$defs")
        for key in named:
            yield from _inside(key, schema.get(key))
        return
    for key, value in schema.items():
        yield from _inside(key, value)


def rebuilt(schema: dict[str, Json], dialect: str, change: Callable[[tuple[str, ...], Json], Json]) -> dict[str, Json]:
    """A copy of a schema object with each of its direct subschemas replaced; `change` gets its tokens and itself."""
    out = dict(schema)
    named: dict[str, dict[str, Json]] = {}
    listed: dict[str, list[Json]] = {}
    for path, inner in subschemas(schema, dialect):
        new = change(path, inner)
        holder = schema[path[0]]
        if len(path) == 1:
            out[path[0]] = new
        elif isinstance(holder, dict):
            if path[0] not in named:
                named[path[0]] = dict(holder)
            named[path[0]][path[1]] = new
        elif isinstance(holder, list):
            if path[0] not in listed:
                listed[path[0]] = list(holder)
            listed[path[0]][int(path[1])] = new
    return {**out, **named, **listed}


def _inside(key: str, value: Json) -> Iterator[tuple[tuple[str, ...], Json]]:
    if key in NAMED and isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | bool):
                yield (key, name), inner
    elif key in MANY and isinstance(value, list):
        for index, inner in enumerate(value):
            yield (key, str(index)), inner
    elif key in ONE and isinstance(value, dict | bool):
        yield (key,), value
