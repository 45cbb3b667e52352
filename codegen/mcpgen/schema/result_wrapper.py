"""The `{"result": …}` form of an outputSchema whose root is no object."""

from __future__ import annotations

from mcpgen.schema.index import split_fragment
from mcpgen.schema.keywords import map_subschemas
from mcpgen.schema.values import Json

RESULT_POINTER = "#/properties/result"


def has_object_type(schema: Json) -> bool:
    """Whether a root literally says `"type": "object"`, all that the middle protocol versions accept."""
    return isinstance(schema, dict) and schema.get("type") == "object"


def wrap_schema(schema: Json, dialect: str) -> Json:
    """An object schema whose required `result` is the given schema, its own references kept right.

    A root with an `$id` is a resource of its own, inside which references go on meaning what they meant.
    """
    inner: Json = schema
    outer: dict[str, Json] = {}
    if isinstance(schema, dict):
        if not _has_own_base(schema):
            inner = _move_references(schema, dialect)
            if "$schema" in schema and isinstance(inner, dict):
                outer["$schema"] = inner.pop("$schema")
        elif "$schema" in schema:
            outer["$schema"] = schema["$schema"]
    return {**outer, "type": "object", "properties": {"result": inner}, "required": ["result"]}


def _move_references(schema: Json, dialect: str) -> Json:
    if not isinstance(schema, dict) or _has_own_base(schema):
        return schema
    out = map_subschemas(schema, dialect, lambda _, inner: _move_references(inner, dialect))
    for word in ("$ref", "$dynamicRef"):
        ref = schema.get(word)
        if isinstance(ref, str):
            uri, fragment = split_fragment(ref)
            if not uri and (not fragment or fragment.startswith("/")):
                out[word] = RESULT_POINTER + fragment
    return out


def _has_own_base(schema: dict[str, Json]) -> bool:
    """Whether a schema has a base of its own; draft-07 also writes anchors as `$id`."""
    identifier = schema.get("$id")
    return isinstance(identifier, str) and bool(split_fragment(identifier)[0])
