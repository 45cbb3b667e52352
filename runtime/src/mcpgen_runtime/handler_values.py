"""Read what a handler returned as a value of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache, partial
from operator import attrgetter
from typing import Any, TypeAlias, TypeGuard, cast

from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from .content import RESULT_MEMBERS, find_block, is_block_class
from .conversion import (
    Conversion,
    Shape,
    get_members,
    inspect_model,
    is_computed,
    is_wrapper,
    items_of,
    kinds_of_class,
    list_shapes,
    map_fields,
    shape_of,
)
from .core_schemas import complete_schema, convert_inner, with_brief_errors
from .errors import NoJsonType, get_json_value
from .json_values import read_items
from .models import JsonObject
from .package import limit_reader


def may_be_result(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a mapping has some members of a CallToolResult in wire form, and nothing else."""
    return (
        (type(value) is dict or isinstance(value, Mapping))
        and not RESULT_MEMBERS.isdisjoint(mapping := cast("Mapping[str, Any]", value))
        and not mapping.keys() - RESULT_MEMBERS - {"_meta", "meta", "resultType"}
    )


def list_content(value: object) -> Any:
    """Return such a mapping with a list of content blocks instead of an iterator, anything else unchanged."""
    if not may_be_result(value) or not isinstance(content := value.get("content"), Iterator):
        return value
    return {**value, "content": [*read_items(cast(Iterator[object], content))]}


def in_wrapper(value: object, cls: type[BaseModel]) -> Any:
    """Wrap a bare value as `{"result": value}`, unless it is that object already."""
    if isinstance(value, JsonObject):
        return value if "result" in type(value).model_fields else {"result": value}
    members: Any = value if issubclass(type(value), Mapping) else {}
    return value if is_wrapper(members, cast(type[JsonObject], cls)) else {"result": value}


def wire_form(value: object, cls: type[BaseModel], bare: bool = False) -> Any:
    """Convert a handler's value to JSON in the wire form of a result class, or raise NoJsonForm: it is not JSON.

    `bare`: it may be the inner value of the declared `{"result": …}`, and stays unwrapped.
    """
    read: Any = [*read_items(cast(Iterator[object], value))] if isinstance(value, Iterator) else value
    wrapper = cls if bare and issubclass(cls, JsonObject) else None
    kinds: tuple[Any, ...] = kinds_of_class(cls) if wrapper is None else shape_of(wrapper).kinds["result"]
    is_array = issubclass(cast(Any, type(read)), list | tuple)
    for item, inner in zip(read, items_of(kinds), strict=False) if is_array else [(read, kinds)]:
        if type(item) is dict or find_block(item) is None:
            continue
        if not any(shape.declares("type") for shape in list_shapes(inner)):
            problem = "is content, not a value of the outputSchema: to_call_tool_result(content=…) sends both"
            raise NoJsonType(f"{type(item).__name__} {problem}")
    return Conversion("schema", wrapper).run(read, kinds)


def split_pair(value: object) -> tuple[object, object] | None:
    """Return the parts of a 2-tuple, None for anything else; a NamedTuple is one value."""
    is_pair = isinstance(value, tuple) and not hasattr(cast(Any, value), "_fields") and len(cast(Any, value)) == 2
    return cast(tuple[object, object], value) if is_pair else None


Reader: TypeAlias = Callable[[object], Any]
"""Reads a handler's value as JSON, in new dicts and lists. Raises `pydantic.ValidationError`."""


@cache
def json_reader(cls: type[BaseModel]) -> Reader | None:
    """Return the reader of JSON values, for the result of an instance; None if the class writes them differently."""
    return _make_reader(cls, False)


@cache
def attribute_reader(cls: type[BaseModel]) -> Reader | None:
    """Return a reader that also takes dataclasses, pydantic models and generated instances as objects."""
    return _make_reader(cls, True)


def _make_reader(cls: type[BaseModel], takes_attributes: bool) -> Reader | None:
    try:
        schema = _convert_schema(cast(Any, with_brief_errors(complete_schema(cls))), takes_attributes)
    except _NeedsInstances:
        return None
    return limit_reader(SchemaValidator(schema).validate_python, cls.__module__)


# --- the classes' own schemas, with dicts for objects ----------------------------------------------------------------
class _NeedsInstances(Exception):
    """A value is written in a different form than it is read, for example a date."""


def _convert_schema(schema: dict[str, Any], takes_attributes: bool) -> Any:
    """Convert a class's core schema to one for the same values, with dicts by wire names instead of models."""
    match schema:
        case {"serialization": {"type": "function-plain"}}:
            raise _NeedsInstances
        case {"type": "model", "root_model": False}:
            converted = _convert_model(schema, takes_attributes)
        case {"type": "function-wrap", "function": {"function": function}} if hasattr(function, "reads_once"):
            converted = _convert_parts(schema, takes_attributes)
        case {"type": "model"} | {"type": "function-wrap"}:  # these functions only check instances
            converted = _convert_schema(schema["schema"], takes_attributes)
        case {"type": "list"}:  # strict: no iterators, which reading would consume
            converted = _convert_parts(schema, takes_attributes) | {"strict": True, "fail_fast": True}
        case {"type": "tuple"}:
            array = core_schema.is_instance_schema(cast(Any, (list, tuple)), cls_repr="an array")  # no iterators either
            inner = core_schema.chain_schema([array, _convert_parts(schema, takes_attributes)])
            converted = core_schema.no_info_after_validator_function(list, inner)
        case _:
            converted = _convert_parts(schema, takes_attributes)
    return {**converted, "ref": schema["ref"]} if "ref" in schema else converted


def _convert_parts(schema: dict[str, Any], takes_attributes: bool) -> Any:
    return convert_inner(schema, lambda inner: _convert_schema(inner, takes_attributes))


def _convert_model(model: dict[str, Any], takes_attributes: bool) -> CoreSchema:
    inner, fields = model["schema"], dict[str, core_schema.TypedDictField]()
    while inner["type"] != "model-fields":
        inner = inner["schema"]
    for name, field in inner["fields"].items():
        field_schema = field["schema"]
        wire = field.get("validation_alias", name)
        may_be_absent = field_schema["type"] == "default" and field_schema["default"] is None
        value_schema = _convert_schema(field_schema["schema"] if may_be_absent else field_schema, takes_attributes)
        if takes_attributes and wire in shape_of(model["cls"]).never_null:
            value_schema = core_schema.union_schema([_OMITTED, value_schema], mode="left_to_right")
        fields[wire] = core_schema.typed_dict_field(value_schema, required=field_schema["type"] != "default")
    extras, extra_behavior = inner.get("extras_schema"), model["config"].get("extra_fields_behavior", "ignore")
    is_closed = takes_attributes and extra_behavior == "forbid"  # the hook finds undeclared members in less time
    object_schema = core_schema.typed_dict_schema(
        fields,
        strict=True,
        extras_schema=extras and _convert_schema(extras, takes_attributes),
        extra_behavior="ignore" if is_closed else extra_behavior,
    )
    if not takes_attributes:
        return object_schema
    hook = _make_hook(model["cls"], fields, is_closed)
    return core_schema.no_info_before_validator_function(hook, object_schema)


# --- attributes ------------------------------------------------------------------------------------------------------
_OMITTED = core_schema.chain_schema(
    [core_schema.none_schema(), core_schema.with_default_schema(core_schema.bool_schema(strict=True), on_error="omit")]
)
"""Leaves out an attribute that is None, and takes nothing else."""
_MOST_READERS = 512
"""Maximum classes of objects that a hook knows."""


def _make_hook(cls: type[JsonObject], fields: Mapping[str, Any], is_closed: bool) -> Callable[[object], object]:
    """Return a function that makes a dict by wire names of what has attributes, before it is read.

    Anything else stays unchanged. A dict that the class refuses becomes None.
    """
    required = sum(field["required"] for field in fields.values())
    shape, only = shape_of(cls), fields.keys() if is_closed else None
    readers: dict[Any, Callable[[Any], object] | None] = {}

    def check_dict(members: dict[str, Any]) -> dict[str, Any] | None:
        if only is not None and not members.keys() <= only:
            return None
        has_null = any(name in members and members[name] is None for name in shape.never_null)  # left out
        return None if has_null else members

    def choose_reader(kind: Any) -> Callable[[Any], object] | None:
        if issubclass(kind, dict):
            return lambda value: check_dict(dict[str, Any].copy(value))
        if is_block_class(kind) and not shape.declares("type"):
            return None  # content, which `wire_form` refuses
        if issubclass(kind, JsonObject):
            return lambda value: check_dict(get_json_value(value))
        return _find_reader(shape, kind, only)

    def read_members(value: Any) -> object:
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType] # a cast would be a call
        if kind is dict:
            return value if len(value) == required else check_dict(value)  # without one of these it is refused anyway
        try:
            read = readers[kind]
        except KeyError:
            if len(readers) == _MOST_READERS:
                readers.clear()
            read = readers[kind] = choose_reader(kind)
        return value if read is None else read(value)

    return read_members


def _find_reader(shape: Shape, kind: Any, only: Set[str] | None) -> Callable[[Any], object] | None:
    """Return a function for the members of objects of a type with fields; None for other types.

    `shape` has the properties of a class, `only` those that it accepts alone.
    """
    names, traits = map_fields(kind), inspect_model(kind)
    if names is None or (traits is not None and traits.has_decimals):
        return None  # pydantic would read a decimal as a number, but it writes text
    if traits is None and any(is_computed(kind, name) for name in shape.list_names()):
        return None  # a property may raise anything
    names = {  # the alias of a field, or its name if the schema declares only that
        name: name if not shape.declares(key) and shape.declares(name) else key for name, key in names.items()
    }
    keys = frozenset(names.values())
    wires = {name: shape.get_wire_name(key, keys) for name, key in names.items()}
    if only is not None and not only >= {*wires.values()}:
        return None
    read = partial(get_members, names=wires)
    if not kind.__dictoffset__ or any(name != wire for name, wire in wires.items()):
        return read
    if only is not None and not any(hasattr(kind, name) for name in wires):  # no default stands for an attribute
        return attrgetter("__dict__")  # what else it has is not read

    def read_fields(value: Any) -> dict[str, Any]:
        values: dict[str, Any] = value.__dict__
        return values if values.keys() == wires.keys() else read(value)

    return read_fields
