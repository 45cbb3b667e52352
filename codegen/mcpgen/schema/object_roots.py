"""Recognize schemas whose values are all objects, and add `"type": "object"` to their root."""

from __future__ import annotations

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, list_types
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema
from mcpgen.schema.values import Json, follow_pointer, parse_pointer

MAX_STEPS = 100
"""References and composition inside each other that are followed."""


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
    """Follows references and composition from the root of a schema."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._results: dict[str, bool] = {}

    def is_object(self, pointer: str, entered: frozenset[str]) -> bool:
        """Report whether a subschema accepts objects only; `entered` are those that lead to it."""
        if pointer in entered or len(entered) > MAX_STEPS:
            return False
        if pointer not in self._results:
            self._results[pointer] = self._check(pointer, entered | {pointer})
        return self._results[pointer]

    def _check(self, pointer: str, entered: frozenset[str]) -> bool:
        schema = follow_pointer(self._index.root, parse_pointer(pointer))
        if not isinstance(schema, dict):
            return False
        ref = schema.get("$ref")
        target = self._index.find_target(pointer, ref) if isinstance(ref, str) else None
        refers_to_object = target is not None and self.is_object(target, entered)
        if isinstance(ref, str) and self._index.dialect == DRAFT_07:
            return refers_to_object
        if "type" in schema and "object" not in list_types(schema):  # where others want an object, nothing is valid
            return False
        if refers_to_object or schema.get("type") in ("object", ["object"]) or _lists_objects(schema):
            return True
        if any(self.is_object(branch, entered) for branch in _list_branches(schema, pointer, "allOf")):
            return True
        return any(
            bool(branches) and all(self.is_object(branch, entered) for branch in branches)
            for branches in (_list_branches(schema, pointer, keyword) for keyword in ("anyOf", "oneOf"))
        )


def _lists_objects(schema: dict[str, Json]) -> bool:
    """Report whether `enum` or `const` allows objects only."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return isinstance(values, list) and bool(values) and all(isinstance(value, dict) for value in values)


def _list_branches(schema: dict[str, Json], pointer: str, keyword: str) -> list[str]:
    branches = schema.get(keyword)
    return [f"{pointer}/{keyword}/{index}" for index, _ in enumerate(branches)] if isinstance(branches, list) else []
