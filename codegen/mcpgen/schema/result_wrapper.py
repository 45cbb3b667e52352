"""Wrap an outputSchema whose root is not an object as `{"result": …}`."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.schema.index import split_fragment
from mcpgen.schema.keywords import REFERENCE_KEYWORDS, iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, are_equal, format_pointer
from mcpgen.targets import SDKS

RESULT_POINTER = "#/properties/result"


def has_object_type(schema: Json) -> bool:
    """Report whether a root has `"type": "object"`, which older protocol versions require."""
    return isinstance(schema, dict) and schema.get("type") == "object"


def is_sdk_wrapper(schema: Json) -> bool:
    """Check whether an SDK wrapped a bare value: some SDKs mark it, the official one adds a title `…Output`."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    properties, required, title = schema.get("properties"), schema.get("required"), schema.get("title")
    if not isinstance(properties, dict) or list(properties) != ["result"] or required != ["result"]:
        return False
    marks = [sdk.wrapper_mark for sdk in SDKS if sdk.wrapper_mark is not None]
    marked = any(keyword in schema and are_equal(schema[keyword], value) for keyword, value in marks)
    return marked or (isinstance(title, str) and title.endswith("Output"))


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


def list_moved_references(schema: Json, dialect: str) -> list[str]:
    """Return the pointers of the references that a wrapper adapts, with which generated code derives the wrapper."""
    pointers: list[str] = []
    stack: list[tuple[str, Json]] = [("", schema)]
    while stack:
        pointer, subschema = stack.pop()
        if isinstance(subschema, dict) and not _has_base(subschema):
            moved = _iterate_moved_references(subschema, dialect)
            pointers += (pointer + format_pointer(keyword) for keyword, _ in moved)
            children = iterate_subschemas(subschema, dialect)
            stack += ((pointer + format_pointer(*path), child) for path, child in children)
    return sorted(pointers)


def _move_references(schema: Json, dialect: str) -> Json:
    """Return a schema whose references to its root lead to the property `result`."""
    if not isinstance(schema, dict) or _has_base(schema):
        return schema
    moved = map_subschemas(schema, dialect, lambda _, subschema: _move_references(subschema, dialect))
    return {**moved, **dict(_iterate_moved_references(schema, dialect))}


def _iterate_moved_references(schema: dict[str, Json], dialect: str) -> Iterator[tuple[str, Json]]:
    """Yield the keywords of a schema object that refer to the root of its document, with the adapted references."""
    for keyword in REFERENCE_KEYWORDS[dialect]:
        ref = schema.get(keyword)
        if isinstance(ref, str):
            uri, fragment = split_fragment(ref)
            if not uri and (not fragment or fragment.startswith("/")):
                yield keyword, RESULT_POINTER + fragment


def _has_base(schema: dict[str, Json]) -> bool:
    """Report whether a schema sets a base URI by its `$id`; draft-07 also writes anchors as `$id`."""
    identifier = schema.get("$id")
    return isinstance(identifier, str) and bool(split_fragment(identifier)[0])
