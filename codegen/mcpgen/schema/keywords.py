"""Where a JSON Schema holds other schemas, keyword by keyword, and which dialects there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcpgen.schema.values import Json

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema"

SINGLE_SCHEMA_KEYWORDS = frozenset(
    (
        "additionalItems additionalProperties contains contentSchema else if items not propertyNames then "
        "unevaluatedItems unevaluatedProperties"
    ).split()
)
"""Keywords whose value is a schema."""
SCHEMA_LIST_KEYWORDS = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
"""Keywords whose value is a list of schemas (`items` in draft-07 only)."""
SCHEMA_MAP_KEYWORDS = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
"""Keywords whose value maps names to schemas (`dependencies` in draft-07: or to lists of names)."""
ASSERTION_KEYWORDS = frozenset(
    (
        "const enum exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum "
        "minItems minLength minProperties minimum multipleOf pattern required type uniqueItems "
        "dependentRequired maxContains minContains contentEncoding contentMediaType"
    ).split()
)
IDENTIFIER_KEYWORDS = frozenset(
    ["$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary"]
)
ANNOTATION_KEYWORDS = frozenset(["default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"])
KEYWORDS = (
    SINGLE_SCHEMA_KEYWORDS
    | SCHEMA_LIST_KEYWORDS
    | SCHEMA_MAP_KEYWORDS
    | ASSERTION_KEYWORDS
    | IDENTIFIER_KEYWORDS
    | ANNOTATION_KEYWORDS
)
"""Every keyword of 2020-12 and draft-07 together."""


def detect_dialect(schema: Json, default: str = DRAFT_2020_12) -> str | None:
    """The dialect that a schema's root asks for, or None when it is one that is not supported."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return default
    if not isinstance(named, str):
        return None
    bare = named.rstrip("#")
    return bare if bare in (DRAFT_2020_12, DRAFT_07) else None


def iterate_subschemas(schema: dict[str, Json], dialect: str) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The schemas directly inside a schema object, each with the tokens that lead to it."""
    if dialect == DRAFT_07 and "$ref" in schema:
        named = ("definitions", "$defs")
        for key in named:
            yield from _iterate_keyword(key, schema.get(key))
        return
    for key, value in schema.items():
        yield from _iterate_keyword(key, value)


def map_subschemas(
    schema: dict[str, Json], dialect: str, change: Callable[[tuple[str, ...], Json], Json]
) -> dict[str, Json]:
    """A copy of a schema object with each of its direct subschemas replaced; `change` gets its tokens and itself."""
    out = dict(schema)
    named: dict[str, dict[str, Json]] = {}
    listed: dict[str, list[Json]] = {}
    for path, inner in iterate_subschemas(schema, dialect):
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


def _iterate_keyword(key: str, value: Json) -> Iterator[tuple[tuple[str, ...], Json]]:
    if key in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | bool):
                yield (key, name), inner
    elif key in SCHEMA_LIST_KEYWORDS and isinstance(value, list):
        for index, inner in enumerate(value):
            yield (key, str(index)), inner
    elif key in SINGLE_SCHEMA_KEYWORDS and isinstance(value, dict | bool):
        yield (key,), value
