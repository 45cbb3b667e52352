"""Results that are objects: recognize their schemas, and wrap those of other results as `{"result": …}`."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.schema.index import SchemaIndex, split_fragment
from mcpgen.schema.keywords import (
    DRAFT_07,
    iterate_references,
    iterate_subschemas,
    list_types,
    list_values,
    map_subschemas,
)
from mcpgen.schema.values import Json, are_equal, as_array, as_object, format_pointer
from mcpgen.targets import SDKS

MAX_STEPS = 100
"""References and composition inside each other that are followed."""
RESULT_POINTER = "#/properties/result"


def has_object_type(schema: Json) -> bool:
    """Report whether a root has `"type": "object"`, which older protocol versions require."""
    return as_object(schema).get("type") == "object"


def implies_object(schema: Json, dialect: str) -> bool:
    """Report whether every value of a self-contained schema is an object, by `type`, references or composition."""
    return has_object_type(schema) or _ObjectSearch(SchemaIndex(schema, dialect)).is_object("", frozenset())


def make_object_schema(schema: Json, dialect: str) -> Json:
    """Return an outputSchema in the form that protocol versions with object results only advertise.

    A schema that implies an object gets `"type": "object"`; any other one without that type is wrapped.
    """
    if has_object_type(schema):
        return schema
    if isinstance(schema, dict) and implies_object(schema, dialect):
        return {"type": "object", **{keyword: value for keyword, value in schema.items() if keyword != "type"}}
    return wrap_schema(schema, dialect)


class _ObjectSearch:
    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._results: dict[str, bool] = {}

    def is_object(self, pointer: str, entered: frozenset[str]) -> bool:
        if pointer in entered or len(entered) > MAX_STEPS:
            return False
        if pointer not in self._results:
            self._results[pointer] = self._check(pointer, entered | {pointer})
        return self._results[pointer]

    def _check(self, pointer: str, entered: frozenset[str]) -> bool:
        schema = self._index.get(pointer)
        if not isinstance(schema, dict):
            return False
        target = self._index.find_referred(pointer)
        refers_to_object = target is not None and self.is_object(target, entered)
        if isinstance(schema.get("$ref"), str) and self._index.dialect == DRAFT_07:
            return refers_to_object
        if "type" in schema and "object" not in list_types(schema):  # where others want an object, nothing is valid
            return False
        values = list_values(schema)
        lists_objects = bool(values) and all(isinstance(value, dict) for value in values)
        if refers_to_object or schema.get("type") in ("object", ["object"]) or lists_objects:
            return True
        if any(self.is_object(branch, entered) for branch in _list_branches(schema, pointer, "allOf")):
            return True
        return any(
            bool(branches) and all(self.is_object(branch, entered) for branch in branches)
            for branches in (_list_branches(schema, pointer, keyword) for keyword in ("anyOf", "oneOf"))
        )


def _list_branches(schema: dict[str, Json], pointer: str, keyword: str) -> list[str]:
    return [f"{pointer}/{keyword}/{index}" for index, _ in enumerate(as_array(schema.get(keyword)))]


# --- wrapped results -------------------------------------------------------------------------------------------------
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
    result = _move_references(schema, dialect)
    wrapper: dict[str, Json] = {}
    if isinstance(schema, dict) and "$schema" in schema:
        wrapper["$schema"] = schema["$schema"]
        if not _has_base(schema):
            result = {keyword: value for keyword, value in as_object(result).items() if keyword != "$schema"}
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
    if not isinstance(schema, dict) or _has_base(schema):
        return schema
    moved = map_subschemas(schema, dialect, lambda _, subschema: _move_references(subschema, dialect))
    return {**moved, **dict(_iterate_moved_references(schema, dialect))}


def _iterate_moved_references(schema: dict[str, Json], dialect: str) -> Iterator[tuple[str, Json]]:
    for keyword, ref in iterate_references(schema, dialect):
        uri, fragment = split_fragment(ref)
        if not uri and (not fragment or fragment.startswith("/")):
            yield keyword, RESULT_POINTER + fragment


def _has_base(schema: dict[str, Json]) -> bool:
    """Report whether a schema sets a base URI by its `$id`; draft-07 also writes anchors as `$id`."""
    identifier = schema.get("$id")
    return isinstance(identifier, str) and bool(split_fragment(identifier)[0])
