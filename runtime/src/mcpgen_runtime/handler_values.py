"""Read what a handler returned as a value of a schema."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema
from typing_extensions import TypeAliasType

from .content import RESULT_MEMBERS, find_block, is_block_class
from .conversion import (
    Attributes,
    OpenDecimal,
    OpenObject,
    get_members,
    has_decimals,
    is_computed,
    is_written_by_pydantic,
    map_fields,
    to_open_form,
)
from .core_schemas import convert_inner, with_brief_errors
from .errors import BEYOND_STACK, NoJsonForm, NoJsonType, get_json_value
from .json_values import read_items
from .models import JsonObject, is_never_null
from .package import limit_reader


class Shape(NamedTuple):
    """Properties of a class: wire names, which are never null, constants, the kinds of each."""

    wires: dict[str, str]
    never_null: frozenset[str]
    constants: dict[str, tuple[object, ...]]
    kinds: dict[str, tuple[Any, ...]]
    extra: tuple[Any, ...]
    """Kinds of undeclared properties."""

    def get_wire_name(self, name: str, beside: Container[str]) -> str:
        """Return the wire name of an attribute, unless another attribute already has that name."""
        wire = self.wires.get(name, name)
        return name if wire in beside else wire

    def declares(self, name: str) -> bool:
        """Return whether a name is the Python or the wire name of a property."""
        return name in self.wires or name in self.kinds

    def count_matches(self, value: Mapping[str, Any]) -> int:
        """Count the members that are properties of the class and not absent; -1 if a constant differs."""
        for wire, allowed in self.constants.items():
            if wire in value and value[wire] not in allowed:
                return -1
        return sum(
            self.declares(key) and not (item is None and self.wires.get(key, key) in self.never_null)
            for key, item in value.items()
        )


@cache
def shape_of(cls: type[JsonObject]) -> Shape:
    """Return the properties of a class, completed first if necessary."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    fields = {field.alias or name: field for name, field in cls.model_fields.items()}
    return Shape(
        {name: field.alias or name for name, field in cls.model_fields.items()},
        frozenset(wire for wire, field in fields.items() if is_never_null(field)),
        {wire: get_args(field.annotation) for wire, field in fields.items() if get_origin(field.annotation) is Literal},
        {wire: kinds_of(field.annotation) for wire, field in fields.items()},
        values_of(kinds_of(_get_extra_annotation(cls))),
    )


def _get_extra_annotation(cls: type[JsonObject]) -> Any:
    """Return the annotation of a class's undeclared properties; None if it has none."""
    for base in cls.__mro__:
        text = inspect.get_annotations(base).get("__pydantic_extra__")
        if text is not None and issubclass(base, JsonObject):
            return _evaluate_annotation(text, base.__module__)
    return None


def _evaluate_annotation(annotation: Any, module: str) -> Any:
    """Evaluate an annotation that may be a string."""
    if not isinstance(annotation, str):
        return annotation
    holder = type("_", (), {"__annotations__": {"it": annotation}})
    return get_type_hints(holder, vars(sys.modules[module]), include_extras=True)["it"]


@cache
def _evaluate_alias(alias: TypeAliasType) -> Any:
    """Return the value of an alias, always the same object: new objects would count as other kinds."""
    return _evaluate_annotation(alias.__value__, str(alias.__module__))


def kinds_of(annotation: Any) -> tuple[Any, ...]:
    """Return the alternatives of an annotation: the parts of unions, aliases and `Annotated`."""
    alternatives, todo, opened = list[Any](), [annotation], list[Any]()
    for alternative in todo:  # grows during the loop
        if isinstance(alternative, TypeAliasType):
            if all(alternative is not other for other in opened):
                opened.append(alternative)
                todo.append(_evaluate_alias(alternative))
        elif get_origin(alternative) is Annotated:
            todo.append(get_args(alternative)[0])
        elif get_origin(alternative) in (Union, UnionType):
            todo.extend(get_args(alternative))
        else:
            alternatives.append(alternative)
    return _drop_duplicates(alternatives)


def _drop_duplicates(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Return each kind once: recursive arrays would otherwise repeat kinds on every level."""
    return tuple(dict.fromkeys(kinds))


@cache
def _split_arrays(kinds: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return the kinds of any item of an array, and the items of each tuple."""
    item_types = [get_args(kind)[0] for kind in kinds if get_origin(kind) is list]
    tuple_types = [get_args(kind) for kind in kinds if get_origin(kind) is tuple]
    return (_drop_duplicates(kind_of_item for items in item_types for kind_of_item in kinds_of(items)), tuple_types)


def items_of(kinds: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
    """Return the kinds of each item of an array."""
    shared, fixed = _split_arrays(kinds)
    if not fixed:
        return [shared] * count
    by_index = [
        [kinds_of(tuple_types[index]) for tuple_types in fixed if index < len(tuple_types)] for index in range(count)
    ]
    return [
        _drop_duplicates((*shared, *(kind for kinds in kinds_at_index for kind in kinds)))
        for kinds_at_index in by_index
    ]


@cache
def values_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the kinds of the values of a map."""
    value_types = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
    return _drop_duplicates(kind_of_value for value_type in value_types for kind_of_value in kinds_of(value_type))


def choose_class(members: Mapping[str, Any], kinds: tuple[Any, ...]) -> type[JsonObject] | None:
    """Return the class that matches most members of an object; None if another type may be meant.

    Of several, it is the one that has most of the names on the wire.
    """
    classes, other_kinds = list_classes(kinds)
    if not other_kinds:
        return classes[0] if classes else None

    def count(candidate: type[JsonObject]) -> tuple[int, int]:
        shape = shape_of(candidate)
        wires = {key: item for key, item in members.items() if key in shape.kinds}
        return shape.count_matches(members), shape.count_matches(wires)

    cls = max(classes, key=count, default=None)
    return None if cls is None or shape_of(cls).count_matches(members) < 1 else cls


@cache
def list_classes(kinds: tuple[Any, ...]) -> tuple[list[type[JsonObject]], bool]:
    """Return the classes among some kinds, and whether an object may be something other than the first."""
    classes: list[type[JsonObject]] = [
        kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)
    ]
    return classes, len(classes) > 1 or any(get_origin(kind) is dict for kind in kinds)


_ENVELOPE_MEMBERS = frozenset({"_meta", "meta", "resultType"})


def may_be_result(value: object) -> bool:
    """Return whether a mapping has some members of a CallToolResult in wire form, and nothing else."""
    return (
        (type(value) is dict or isinstance(value, Mapping))
        and not RESULT_MEMBERS.isdisjoint(mapping := cast("Mapping[str, Any]", value))
        and not mapping.keys() - RESULT_MEMBERS - _ENVELOPE_MEMBERS
    )


def list_content(value: object) -> Any:
    """Return such a mapping with a list of content blocks instead of an iterator, anything else unchanged."""
    mapping = get_mapping(value) if may_be_result(value) else None
    if mapping is None or not isinstance(mapping.get("content"), Iterator):
        return value
    return {**mapping, "content": [*read_items(cast(Iterator[object], mapping["content"]))]}


def get_mapping(value: object) -> Mapping[str, Any] | None:
    """Return a value if it is a mapping; None for anything else."""
    return cast(Any, value) if type(value) is dict or isinstance(value, Mapping) else None


def in_wrapper(value: object, cls: type[BaseModel]) -> Any:
    """Wrap a bare value as `{"result": value}`, unless it is that object already."""
    mapping = value.list_public() if isinstance(value, OpenObject) else get_mapping(value)
    if mapping is not None and "result" in mapping and (len(mapping) == 1 or not _holds_objects(cls)):
        return value
    if isinstance(value, JsonObject) and "result" in type(value).model_fields:
        return value
    return {"result": value}


@cache
def _holds_objects(cls: type[BaseModel]) -> bool:
    """Return whether the inner value of `{"result": …}` may be an object."""
    inner = shape_of(cast(type[JsonObject], cls)).kinds["result"]
    return any(kind is Any or get_origin(kind) is dict or kind in list_classes(inner)[0] for kind in inner)


# --- attributes ------------------------------------------------------------------------------------------------------
def wire_form(value: object, cls: type[BaseModel], bare: bool = False) -> Any:
    """Convert a handler's value to JSON, in the wire form of a result class.

    Attributes are properties, by their Python or their wire name; None means absence if the property may be absent but
    not null. An object without fields gives only the properties that are declared. Mappings are already JSON objects.
    `bare`: it may be the inner value of the declared `{"result": …}`, and stays unwrapped.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot represent.
    """
    if isinstance(value, Iterator):
        value = [*read_items(cast(Iterator[object], value))]
    form = to_open_form(value)
    kinds: tuple[Any, ...] = (cls,)
    if not issubclass(cls, JsonObject):
        kinds = kinds_of(cls.model_fields["root"].annotation)
    elif bare and in_wrapper(form, cls) is not form:
        kinds = shape_of(cls).kinds["result"]
    if isinstance(value, list | tuple):
        items = cast(Sequence[object], value)
        for item, inner in zip(items, items_of(kinds, len(items)), strict=True):
            _refuse_content(item, inner)
    else:
        _refuse_content(value, kinds)
    try:
        return _settle(form, kinds)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None


def _refuse_content(value: object, kinds: tuple[Any, ...]) -> None:
    """Refuse a content block, unless the schema describes one: it is content, not data.

    Raises:
        NoJsonType: it is one.
    """
    if type(value) is dict or find_block(value) is None:
        return
    if not any(shape_of(cls).declares("type") for cls in list_classes(kinds)[0]):
        name = type(value).__name__
        raise NoJsonType(
            f"{name} is content, not a value of the outputSchema: to_call_tool_result(content=…) sends both"
        )


def _settle(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_settle_part(index, item, inner[index]) for index, item in enumerate(items)]
    if isinstance(value, OpenDecimal):
        return value.choose(any(map(_takes_numbers, kinds)), any(map(_takes_text, kinds)))
    if isinstance(value, OpenObject):
        return _settle_object(value, kinds)
    if not isinstance(value, dict):
        return value
    if isinstance(value, Attributes) and value.other is not None:
        value = min(value, value.other, key=lambda form: _count_misfits(form, kinds))
    members = cast(dict[str, Any], value)
    cls = choose_class(members, kinds)
    if cls is None:
        value_kinds = values_of(kinds)
        return {key: _settle_part(key, item, value_kinds) for key, item in members.items()}
    shape, out = shape_of(cls), dict[str, Any]()
    has_python_names = isinstance(value, Attributes)
    for key, item in members.items():
        wire = key
        if has_python_names:
            wire = shape.get_wire_name(key, members)
            if item is None and wire in shape.never_null:
                continue
        if isinstance(item, _OPEN):
            item = _settle_part(wire, item, shape.kinds.get(wire, shape.extra))
        out[wire] = item
    if isinstance(value, Attributes) and value.source is not None:
        absent = {name: wire for name, wire in shape.wires.items() if wire not in out}
        computed = value.source.read_computed([*absent, *absent.values()])
        out |= _settle_attributes(value.source, computed, shape, absent)
    return out


_OPEN = (dict, list, OpenDecimal, OpenObject)
"""Types of values that a schema may change."""


def _settle_part(token: str | int, item: Any, kinds: tuple[Any, ...]) -> Any:
    try:
        return _settle(item, kinds)
    except NoJsonForm as error:
        error.inside(token)
        raise


def _settle_object(value: OpenObject, kinds: tuple[Any, ...]) -> dict[str, Any]:
    """Return the declared properties of an object, or all public attributes where no properties are declared."""
    shapes = [shape_of(cls) for cls in list_classes(kinds)[0]]
    names = {name for shape in shapes for pair in shape.wires.items() for name in pair}
    found = value.read(names)
    cls = choose_class(found, kinds)
    shape = None if cls is None else shape_of(cls)
    if shape is not None and shape.wires:
        properties = _settle_attributes(value, found, shape, shape.wires)
        if not properties and not found:
            raise NoJsonForm(f"an object of type {value.class_name} has none of the properties")
        return properties
    public = value.read(value.list_public())
    if not public:
        raise NoJsonType.of_class(value.class_name)
    value_kinds = values_of(kinds) if shape is None else shape.extra
    return {name: _settle_part(name, value.convert(name, item), value_kinds) for name, item in public.items()}


def _settle_attributes(
    value: OpenObject, found: Mapping[str, Any], shape: Shape, wires: Mapping[str, str]
) -> dict[str, Any]:
    """Return some attributes of an object as properties.

    Args:
        value: the object.
        found: its attributes.
        shape: the properties.
        wires: the names on the wire of those that are wanted, by their Python names.
    """
    out: dict[str, Any] = {}
    for name, wire in wires.items():
        if wire not in found and name not in found:
            continue
        item = found[wire if wire in found else name]
        if item is None and wire in shape.never_null:
            continue
        out[wire] = _settle_part(wire, value.convert(wire, item), shape.kinds[wire])
    return out


def _takes_numbers(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return any(type(constant) is int for constant in get_args(kind))
    return kind in (int, float, Any)


def _takes_text(kind: Any) -> bool:
    """Return whether a kind takes strings; a class that is not of JSON is one for strings of a format."""
    is_other = isinstance(kind, type) and not issubclass(kind, BaseModel | int | float | NoneType)
    return kind is Any or is_other


def _count_misfits(value: Any, kinds: tuple[Any, ...]) -> int:
    """Count the undeclared properties in a form of a model."""
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return sum(_count_misfits(item, inner[index]) for index, item in enumerate(items))
    if not isinstance(value, dict):
        return 0
    members = cast(dict[str, Any], value)
    cls = choose_class(members, kinds)
    if cls is None:
        value_kinds = values_of(kinds)
        return sum(_count_misfits(item, value_kinds) for item in members.values())
    shape, count = shape_of(cls), 0
    for key, item in members.items():
        wire = shape.get_wire_name(key, members)
        declared = wire in shape.kinds
        count += not declared
        count += _count_misfits(item, shape.kinds[wire] if declared else shape.extra)
    return count


def split_pair(value: object) -> tuple[object, object] | None:
    """Return the parts of a 2-tuple, None for anything else; a NamedTuple is one value."""
    items = cast(tuple[object, ...], value) if isinstance(value, tuple) else ()
    if hasattr(items, "_fields"):
        return None
    return (items[0], items[1]) if len(items) == 2 else None


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
