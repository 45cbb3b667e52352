"""Which members of pydantic's core schemas hold other schemas: fields and tags may have any name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast


def convert_inner(schema: dict[str, Any], convert: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return a copy of a core schema in which each schema directly inside it is converted, except its serializer."""
    return schema | {
        member: _convert_held(schema[member], convert, member in _BY_NAME) for member in _HOLDERS if member in schema
    }


def _convert_held(held: Any, convert: Callable[[dict[str, Any]], Any], is_by_name: bool) -> Any:
    if isinstance(held, dict):
        schemas: dict[Any, Any] = cast(Any, held)
        if is_by_name:
            return {name: convert(inner) for name, inner in schemas.items()}
        return convert(schemas)
    if isinstance(held, list):
        return [_convert_held(item, convert, False) for item in cast(Any, held)]
    if isinstance(held, tuple):  # an alternative, with its label
        return tuple(_convert_held(item, convert, False) for item in cast(Any, held))
    return held  # a label, the name of a dataclass's field, or no schema


def list_inner(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas directly inside a core schema, except its serializer."""
    found: list[dict[str, Any]] = []
    convert_inner(schema, found.append)
    return found


def walk_schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a core schema and all schemas inside it, also those of serializers."""
    todo = [cast(dict[str, Any], schema)]
    while todo:
        part = todo.pop()
        yield part
        todo += list_inner(part)
        if "serialization" in part:
            todo.append(part["serialization"])


_BY_NAME = frozenset({"choices", "fields"})
"""Members that map tags or names of fields to schemas, or list schemas."""
_HOLDERS = (
    "schema",
    "items_schema",
    "keys_schema",
    "values_schema",
    "extras_schema",
    "extras_keys_schema",
    "choices",
    "fields",
    "computed_fields",
    "definitions",
    "steps",
    "lax_schema",
    "strict_schema",
    "json_schema",
    "python_schema",
    "arguments_schema",
    "var_args_schema",
    "var_kwargs_schema",
    "return_schema",
)
"""Members that hold a schema or several ones, in every type of core schema that has them."""

__all__ = ["convert_inner", "list_inner", "walk_schemas"]
