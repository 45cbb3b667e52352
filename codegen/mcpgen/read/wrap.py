"""The `{"result": …}` form of an outputSchema whose root is no object."""

from __future__ import annotations

from mcpgen.json_types import Json
from mcpgen.read.keywords import rebuilt
from mcpgen.read.refs import without_fragment

INSIDE = "#/properties/result"


def wrapped_schema(schema: Json, dialect: str) -> Json:
    """An object schema whose required `result` is the given schema, its own references kept right.

    A root with an `$id` is a resource of its own, inside which references go on meaning what they meant.
    """
    inner: Json = schema
    outer: dict[str, Json] = {}
    if isinstance(schema, dict):
        if "$id" not in schema:
            inner = _moved(schema, dialect)
            if "$schema" in schema and isinstance(inner, dict):
                outer["$schema"] = inner.pop("$schema")
        elif "$schema" in schema:
            outer["$schema"] = schema["$schema"]
    return {**outer, "type": "object", "properties": {"result": inner}, "required": ["result"]}


def _moved(schema: Json, dialect: str) -> Json:
    if not isinstance(schema, dict) or "$id" in schema:
        return schema
    out = rebuilt(schema, dialect, lambda _, inner: _moved(inner, dialect))
    ref = schema.get("$ref")
    if isinstance(ref, str):
        uri, fragment = without_fragment(ref)
        if not uri and (not fragment or fragment.startswith("/")):
            out["$ref"] = INSIDE + fragment
    return out
