"""Read a handler's return value as JSON in one pass, without instances of the generated classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from .class_shapes import Shape, shape_of
from .content_blocks import is_block_class
from .conversion import get_members, map_fields
from .deep_values import with_brief_errors
from .errors import get_json_value
from .exact_types import convert_inner
from .models import JsonObject
from .package import limit_reader
from .user_objects import has_decimals, is_computed, is_written_by_pydantic

Reader: TypeAlias = Callable[[object], Any]
"""Reads a handler's value as JSON, in new dicts and lists. Raises `pydantic.ValidationError`."""
_Hook: TypeAlias = Callable[[type[JsonObject]], Callable[[object], object]]
"""Returns the function that prepares a value to be read as an object of a class."""


@cache
def json_reader(cls: type[BaseModel]) -> Reader | None:
    """Return the reader of JSON values; None if the class writes values differently from how it reads them.

    The result is the same as from an instance. The class accepts more values; the reader consumes no iterator.
    """
    return _make_reader(cls, None)


@cache
def attribute_reader(cls: type[BaseModel]) -> Reader | None:
    """Return a reader that also takes dataclasses, pydantic models and generated instances as objects."""
    return _make_reader(cls, _make_hook)


def _make_reader(cls: type[BaseModel], hook: _Hook | None) -> Reader | None:
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    try:
        schema = _convert_schema(cast(Any, with_brief_errors(cls.__pydantic_core_schema__)), hook)
    except _NeedsInstances:
        return None
    return limit_reader(SchemaValidator(schema).validate_python, cls.__module__)


# --- the classes' own schemas, with dicts for objects ----------------------------------------------------------------
_ARRAY = core_schema.is_instance_schema(cast(Any, (list, tuple)), cls_repr="an array")
"""Refuses iterators, which reading would consume."""


class _NeedsInstances(Exception):
    """A value is written in a different form than it is read, for example a date."""


def _convert_schema(schema: dict[str, Any], hook: _Hook | None) -> Any:
    """Convert a class's core schema to one for the same values, with dicts by wire names instead of models."""
    match schema:
        case {"serialization": {"type": "function-plain"}}:
            raise _NeedsInstances
        case {"type": "model", "root_model": False}:
            converted = _convert_model(schema, hook)
        case {"type": "function-wrap", "function": {"function": function}} if hasattr(function, "reads_once"):
            converted = _convert_parts(schema, hook)
        case {"type": "model"} | {"type": "function-wrap"}:  # these functions only check instances
            converted = _convert_schema(schema["schema"], hook)
        case {"type": "list"}:  # strict: no iterators, which reading would consume
            converted = _convert_parts(schema, hook) | {"strict": True, "fail_fast": True}
        case {"type": "tuple"}:
            inner = core_schema.chain_schema([_ARRAY, _convert_parts(schema, hook)])
            converted = core_schema.no_info_after_validator_function(list, inner)
        case _:
            converted = _convert_parts(schema, hook)
    return {**converted, "ref": schema["ref"]} if "ref" in schema else converted


def _convert_parts(schema: dict[str, Any], hook: _Hook | None) -> Any:
    return convert_inner(schema, lambda inner: _convert_schema(inner, hook))


def _convert_model(model: dict[str, Any], hook: _Hook | None) -> CoreSchema:
    inner, fields = model["schema"], dict[str, core_schema.TypedDictField]()
    while inner["type"] != "model-fields":
        inner = inner["schema"]
    for name, field in inner["fields"].items():
        field_schema = field["schema"]
        may_be_absent = field_schema["type"] == "default" and field_schema["default"] is None
        value_schema = _convert_schema(field_schema["schema"] if may_be_absent else field_schema, hook)
        wire = field.get("validation_alias", name)
        fields[wire] = core_schema.typed_dict_field(value_schema, required=field_schema["type"] != "default")
    extras = inner.get("extras_schema")
    object_schema = core_schema.typed_dict_schema(
        fields,
        strict=True,
        extras_schema=extras and _convert_schema(extras, hook),
        extra_behavior=model["config"].get("extra_fields_behavior", "ignore"),
    )
    if hook is None:
        return object_schema
    return core_schema.no_info_before_validator_function(hook(model["cls"]), object_schema)


# --- attributes ------------------------------------------------------------------------------------------------------
class _Plan(NamedTuple):
    """How to get the members of a value."""

    size: int
    """Size of a `__dict__` that contains just the fields by wire names; -1 if it never does."""
    members: Callable[[Any], dict[str, Any]]
    """Reads the members in other cases."""
    optional: tuple[str, ...]
    """Wire names of members that are omitted if they are None."""


def _make_hook(cls: type[JsonObject]) -> Callable[[object], object]:
    @lru_cache(512)
    def get_plan(kind: Any) -> _Plan | None:
        return _make_plan(kind, cls)

    def get_members(value: object) -> object:
        """Return the members of a value with fields; anything else unchanged."""
        value_type: Any = type(value)
        plan = None if value_type is dict else get_plan(value_type)
        if plan is None:
            return value
        size, read_members, optional = plan
        values: dict[str, Any] = getattr(value, "__dict__", _NO_ATTRIBUTES)
        if len(values) != size:
            values = read_members(value)
        if optional:
            values = values.copy()
            for name in optional:
                if values.get(name, name) is None:
                    del values[name]
        return values

    return get_members


_NO_ATTRIBUTES: dict[str, Any] = {}


def _make_plan(value_type: Any, cls: type[JsonObject]) -> _Plan | None:
    if is_block_class(value_type) and not shape_of(cls).declares("type"):
        return None  # content, which `wire_form` refuses
    if issubclass(value_type, JsonObject):
        return _Plan(-1, get_json_value, ())
    names = map_fields(value_type)
    if names is None or (is_written_by_pydantic(value_type) and has_decimals(value_type)):
        return None  # pydantic would read a decimal as a number, but it writes text
    shape = shape_of(cls)
    if not is_written_by_pydantic(value_type) and any(
        is_computed(value_type, name) for pair in shape.wires.items() for name in pair
    ):
        return None  # a property may raise anything
    names = {name: _choose_name(name, key, shape) for name, key in names.items()}
    keys = frozenset(names.values())
    wires = {name: shape.get_wire_name(key, keys) for name, key in names.items()}
    optional = tuple(wire for wire in wires.values() if wire in shape.never_null)
    renamed = any(name != wire for name, wire in wires.items())
    return _Plan(-1 if renamed else len(wires), partial(get_members, names=wires), optional)


def _choose_name(name: str, alias: str, shape: Shape) -> str:
    """Return the alias of a field, or its name if the schema declares only that."""
    return name if not shape.declares(alias) and shape.declares(name) else alias
