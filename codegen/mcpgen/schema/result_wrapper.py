"""Wrap an outputSchema whose root is not an object as `{"result": …}`."""

from __future__ import annotations

from mcpgen.schema.index import split_fragment
from mcpgen.schema.keywords import REFERENCE_KEYWORDS, map_subschemas
from mcpgen.schema.values import Json

RESULT_POINTER = "#/properties/result"


def has_object_type(schema: Json) -> bool:
    """Report whether a root has `"type": "object"`, which older protocol versions require."""
    return isinstance(schema, dict) and schema.get("type") == "object"


def wrap_schema(schema: Json, dialect: str) -> Json:
    """Return an object schema whose required property `result` is a schema, with adapted references.

    References inside a root with an `$id` need no change: they are relative to that root.
    """
    result: Json = schema
    wrapper: dict[str, Json] = {}
    if isinstance(schema, dict):
        if not _has_base(schema):
            result = _move_references(schema, dialect)
            if "$schema" in schema and isinstance(result, dict):
                wrapper["$schema"] = result.pop("$schema")
        elif "$schema" in schema:
            wrapper["$schema"] = schema["$schema"]
    return {**wrapper, "type": "object", "properties": {"result": result}, "required": ["result"]}


def _move_references(schema: Json, dialect: str) -> Json:
    """Return a schema whose references to its root lead to the property `result`."""
    if not isinstance(schema, dict) or _has_base(schema):
        return schema
    moved = map_subschemas(schema, dialect, lambda _, subschema: _move_references(subschema, dialect))
    for keyword in REFERENCE_KEYWORDS[dialect]:
        ref = schema.get(keyword)
        if isinstance(ref, str):
            uri, fragment = split_fragment(ref)
            if not uri and (not fragment or fragment.startswith("/")):
                moved[keyword] = RESULT_POINTER + fragment
    return moved


def _has_base(schema: dict[str, Json]) -> bool:
    """Report whether a schema sets a base URI by its `$id`; draft-07 also writes anchors as `$id`."""
    identifier = schema.get("$id")
    return isinstance(identifier, str) and bool(split_fragment(identifier)[0])
