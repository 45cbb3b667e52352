"""Convert Python values to JSON, by itself or as the classes of a schema read it."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import inspect
import json
import sys
from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Container, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache, cached_property, lru_cache
from itertools import chain, repeat
from numbers import Integral, Rational, Real
from operator import is_not
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypeAliasType

from .core_schemas import ABSENT, walk_schemas
from .errors import BEYOND_STACK, NoJsonForm, NoJsonType, get_json_value
from .json_types import JsonValue, Spelled, format_scalar, write_native
from .json_values import IteratorFailed, check_finite, check_integer, read_items, write_decimal, write_number
from .models import JsonObject, describe_properties


# --- kinds of values -------------------------------------------------------------------------------------------------
class Shape(NamedTuple):
    """Properties of a class, or those of a map, which declares none."""

    cls: type[JsonObject] | None
    wires: dict[str, str]
    """Wire names, by Python names."""
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

    def list_names(self) -> list[str]:
        """Return the Python and the wire names of all properties."""
        return [*self.wires, *self.kinds]

    def match(self, members: Mapping[str, Any]) -> tuple[int, int]:
        """Count the members that are properties and not absent, and their wire names; -1 if a constant differs."""
        for wire, allowed in self.constants.items():
            if wire in members and _get_scalar(members[wire]) not in allowed:
                return -1, -1
        present = [
            key
            for key, item in members.items()
            if self.declares(key) and not (self.wires.get(key, key) in self.never_null and _get_scalar(item) is None)
        ]
        return len(present), sum(key in self.kinds for key in present)

    def select(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties among an object's attributes, by their wire names."""
        items = ((wire, found.get(wire, found.get(name, ABSENT))) for name, wire in self.wires.items())
        return {
            wire: item for wire, item in items if item is not ABSENT and not (item is None and wire in self.never_null)
        }


def _get_scalar(value: Any) -> object:
    while isinstance(value, Enum | RootModel):
        value = cast(Any, value.value if isinstance(value, Enum) else value.root)
    return value if value is None or isinstance(value, str | int | float | Decimal) else ABSENT


@cache
def shape_of(cls: type[JsonObject]) -> Shape:
    """Return the properties of a class, completed first if necessary."""
    properties = describe_properties(cls)
    fields = {wire: cls.__pydantic_fields__[name] for name, wire in properties.wires.items()}
    return Shape(
        cls,
        properties.wires,
        properties.absent,
        {wire: get_args(field.annotation) for wire, field in fields.items() if get_origin(field.annotation) is Literal},
        {wire: kinds_of(field.annotation) for wire, field in fields.items()},
        values_of(kinds_of(_get_extra_annotation(cls))),
    )


@cache
def list_shapes(kinds: tuple[Any, ...]) -> list[Shape]:
    """Return the shapes of the objects of some kinds, first the map's unless only one class is possible."""
    shapes = [shape_of(kind) for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)]
    if len(shapes) == 1 and not any(get_origin(kind) is dict for kind in kinds):
        return shapes
    return [Shape(None, {}, frozenset(), {}, {}, values_of(kinds)), *shapes]


def find_shape(members: Mapping[str, Any], kinds: tuple[Any, ...]) -> Shape:
    """Return the shape that has most members of an object, then most on the wire; a map's if no class has any."""
    shapes = list_shapes(kinds)
    return shapes[0] if len(shapes) == 1 else max(shapes, key=lambda shape: shape.match(members))


def _get_extra_annotation(cls: type[JsonObject]) -> Any:
    for base in cls.__mro__:
        text = inspect.get_annotations(base).get("__pydantic_extra__")
        if text is not None and issubclass(base, JsonObject):
            return evaluate_annotation(text, vars(sys.modules[base.__module__]))
    return None


def evaluate_annotation(annotation: Any, scope: dict[str, Any]) -> Any:
    """Evaluate an annotation that may be a string, with the names of a module."""
    holder = type("_", (), {"__annotations__": {"it": annotation}})
    return get_type_hints(holder, scope, include_extras=True)["it"]


@cache
def _evaluate_alias(alias: TypeAliasType) -> Any:
    """Return the value of an alias, always the same object: new objects would count as other kinds."""
    return evaluate_annotation(alias.__value__, vars(sys.modules[str(alias.__module__)]))


def kinds_of(annotation: Any) -> tuple[Any, ...]:
    """Return the alternatives of an annotation: the parts of unions, aliases and `Annotated`."""
    kinds, todo, opened = list[Any](), [annotation], set[int]()
    for part in todo:  # grows during the loop
        if isinstance(part, TypeAliasType):
            if id(part) not in opened:
                opened.add(id(part))
                todo.append(_evaluate_alias(part))
        elif get_origin(part) is Annotated:
            todo.append(get_args(part)[0])
        elif get_origin(part) in (Union, UnionType):
            todo.extend(get_args(part))
        else:
            kinds.append(part)
    return tuple(dict.fromkeys(kinds))


def kinds_of_class(cls: type[BaseModel]) -> tuple[Any, ...]:
    """Return the kinds of the values of a generated class: itself, or those of its root."""
    return (cls,) if issubclass(cls, JsonObject) else kinds_of(cls.model_fields["root"].annotation)


def _join_kinds(annotations: Iterable[Any]) -> tuple[Any, ...]:
    """Return each kind once: recursive arrays would otherwise repeat kinds on every level."""
    return tuple(dict.fromkeys(kind for annotation in annotations for kind in kinds_of(annotation)))


def items_of(kinds: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the kinds of each item of an array, without an end."""
    by_index, others = _list_item_kinds(kinds)
    return chain(by_index, repeat(others))


@cache
def _list_item_kinds(kinds: tuple[Any, ...]) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
    item_types = [get_args(kind)[0] for kind in kinds if get_origin(kind) is list]
    tuples = [get_args(kind) for kind in kinds if get_origin(kind) is tuple]
    count = max(map(len, tuples), default=0)
    by_index = [[types[index] for types in tuples if index < len(types)] for index in range(count)]
    return [_join_kinds([*item_types, *types]) for types in by_index], _join_kinds(item_types)


@cache
def values_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the kinds of the values of a map."""
    return _join_kinds(get_args(kind)[1] for kind in kinds if get_origin(kind) is dict)


def is_wrapper(members: Mapping[str, Any], cls: type[JsonObject]) -> bool:
    """Return whether an object is the declared `{"result": …}`, rather than the value in it."""
    if "result" not in members or len(members) == 1:
        return "result" in members
    inner = shape_of(cls).kinds["result"]
    may_be_map = any(kind is Any or get_origin(kind) is dict for kind in inner)
    return not may_be_map and list_shapes(inner)[-1].cls is None


# --- classes of handlers ---------------------------------------------------------------------------------------------
@lru_cache(512)
def _classify(cls: Any) -> Literal["array", "mapping", "fields", "model", "code", "other"]:
    if issubclass(cls, type) or any("__call__" in base.__dict__ for base in cls.__mro__):
        return "code"
    if (traits := inspect_model(cls)) is not None:
        return "fields" if traits.is_plain else "model"
    if dataclasses.is_dataclass(cls) or hasattr(cls, "__attrs_attrs__") or hasattr(cls, "__struct_fields__"):
        return "fields"
    if issubclass(cls, Mapping):
        return "mapping"
    return "array" if issubclass(cls, list | tuple | set | frozenset | Iterator) else "other"


def is_array(value: object) -> bool:
    """Return whether a value is an iterable that becomes an array."""
    kind = _classify(cast(Any, type(value)))
    return kind == "array" or (kind == "other" and isinstance(value, Iterable))


class ModelTraits(NamedTuple):
    """How pydantic writes a model, or another model in it."""

    is_plain: bool
    """Its dump is just its fields: no serializers, exclusions, computed or undeclared fields."""
    has_aliases: bool = False
    has_decimals: bool = False
    """They are written as text."""


@lru_cache(512)
def inspect_model(model: Any) -> ModelTraits | None:
    """Return how pydantic writes the instances of a model or a dataclass; None for other classes."""
    if not hasattr(model, "__pydantic_core_schema__"):
        return None
    if hasattr(model, "to_structured_content"):
        return ModelTraits(False)
    schemas = [*walk_schemas(model.__pydantic_core_schema__)]
    members, types = set[str]().union(*schemas), {schema.get("type") for schema in schemas}
    is_special = issubclass(model, BaseModel) and (
        issubclass(model, RootModel)
        or model.model_dump is not BaseModel.model_dump
        or model.model_config.get("extra") == "allow"
    )
    has_serializers = members & {"serialization", "serialization_exclude", "serialization_exclude_if"}
    has_computed = any(schema.get("computed_fields") for schema in schemas)
    is_plain = not (is_special or has_serializers or "missing-sentinel" in types or has_computed)
    return ModelTraits(is_plain, "serialization_alias" in members, "decimal" in types)


@lru_cache(512)
def map_fields(cls: Any) -> dict[str, str] | None:
    """Map the attributes of a class with fields, which may be a plain pydantic model, to names; None for others."""
    if _classify(cls) != "fields":
        return None
    if inspect_model(cls) is not None:
        fields: dict[str, FieldInfo] = cls.__pydantic_fields__
        return {
            name: name if field.serialization_alias is None else field.serialization_alias
            for name, field in fields.items()
        }
    listed: Any = getattr(cls, "__attrs_attrs__", ()) or getattr(cls, "__struct_fields__", ())
    if dataclasses.is_dataclass(cls):
        listed = dataclasses.fields(cls)
    names: list[str] = [getattr(field, "name", field) for field in listed]
    return {name: name for name in names if not name.startswith("_")}


def get_members(value: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the attributes of a value under other names."""
    values = {name: getattr(value, attribute, ABSENT) for attribute, name in names.items()}
    return {name: item for name, item in values.items() if item is not ABSENT}


@lru_cache(4096)
def is_computed(cls: type[Any], name: str) -> bool:
    """Return whether a property of a class computes the attribute of this name."""
    return isinstance(inspect.getattr_static(cls, name, None), property | cached_property)


def get_attributes(value: object) -> dict[str, Any]:
    """Return the public attributes of an object, from `__dict__` and `__slots__`."""
    slots: list[Any] = [cls.__dict__.get("__slots__", ()) for cls in reversed(type(value).__mro__)]
    names: list[str] = [name for some in slots for name in ([some] if isinstance(some, str) else some)]
    values = {name: getattr(value, name) for name in names if hasattr(value, name)} | getattr(value, "__dict__", {})
    return {name: item for name, item in values.items() if not name.startswith("_")}


def _read_attributes(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return the attributes of some names that an object or its class has; methods don't count."""
    found: dict[str, Any] = {}
    for name in names:
        try:
            item = getattr(value, name, ABSENT)
        except Exception as error:  # a property of the user's may raise anything
            raise NoJsonForm(f"cannot be read from the object ({type(error).__name__})").inside(name) from error
        if item is not ABSENT and not isinstance(item, FunctionType | MethodType | BuiltinFunctionType):
            found[name] = item
    return found


# --- what pydantic writes --------------------------------------------------------------------------------------------
class _Attributes(dict[str, Any]):
    """Attributes of an object, under their Python names."""

    other: _Attributes | None = None
    """Another form of a model, without aliases. The schema decides between them."""
    source: Any = None
    """The object, whose class may compute further attributes."""


class _WrittenDecimal(Decimal):
    """A decimal that pydantic writes as text."""


def _list_iterators(value: Any, around: frozenset[int]) -> Any:
    """Return a model, or a copy with lists for its iterators: it is written more than once; `around` are outer ids."""
    cls = cast(Any, type(value))
    if issubclass(cls, Iterator):
        return [_list_iterators(item, around) for item in read_items(cast(Iterator[Any], value))]
    if id(value) in around or not (inspect_model(cls) is not None or cls in (list, tuple, dict)):
        return value
    around |= {id(value)}
    if cls in (list, tuple):
        items = cast(list[Any], value)
        listed = [_list_iterators(item, around) for item in items]
        return cast(Any, cls(listed)) if any(map(is_not, listed, items)) else items
    changes = [
        {key: new for key, item in part.items() if (new := _list_iterators(item, around)) is not item}
        for part in _list_parts(value)
    ]
    if not any(changes):
        return value
    copied = copy.copy(value)
    for part, changed in zip(_list_parts(copied), changes, strict=True):
        part.update(changed)
    return copied


def _list_parts(value: Any) -> list[dict[Any, Any]]:
    if type(value) is dict:
        return [value]
    return [getattr(value, "__dict__", {}), getattr(value, "__pydantic_extra__", None) or {}]


def _write_model(
    value: Any, by_alias: bool | None, convert: Callable[[Any], Any], mode: Literal["json", "python"] = "json"
) -> Any:
    """Return what pydantic writes for a model; `by_alias` None: as its `serialize_by_alias` says."""
    cls = cast(Any, type(value))
    try:
        if getattr(cls, "model_dump", BaseModel.model_dump) is not BaseModel.model_dump:
            return value.model_dump(mode=mode, by_alias=by_alias)
        return cls.__pydantic_serializer__.to_python(
            value, mode=mode, by_alias=by_alias, warnings=False, fallback=convert
        )
    except (NoJsonForm, IteratorFailed, RecursionError):
        raise
    except Exception as error:  # a serializer may raise anything, with the value in its text
        problem = NoJsonForm(f"pydantic cannot write the {cls.__name__} as JSON ({type(error).__name__})")
        name = _find_failing_field(value, convert)
        raise (problem if name is None else problem.inside(name)) from error


def _find_failing_field(value: Any, convert: Callable[[Any], Any]) -> str | None:
    cls = cast(Any, type(value))
    fields: Iterable[str] = getattr(cls, "__pydantic_fields__", ())
    for name in fields:
        try:
            cls.__pydantic_serializer__.to_python(value, mode="json", include={name}, warnings=False, fallback=convert)
        except Exception:  # as above
            return name
    return None


def _mark_attributes(form: Any, raw: Any) -> Any:
    """Mark the objects in what pydantic wrote as attributes, and the texts of decimals, which `raw` still has."""
    if isinstance(form, dict):
        raws = cast("dict[str, Any]", raw if isinstance(raw, dict) else {})
        members = cast(dict[str, Any], form).items()
        return _Attributes((key, _mark_attributes(item, raws.get(key))) for key, item in members)
    if isinstance(form, list | tuple):
        items, others = cast(Collection[Any], form), cast(Collection[Any], raw)
        has_others = isinstance(raw, Collection) and len(others) == len(items)
        return [*map(_mark_attributes, items, others if has_others else repeat(None))]
    is_decimal = isinstance(raw, Decimal) and raw.is_finite() and form == str(raw)
    return _WrittenDecimal(cast(Decimal, raw)) if is_decimal else form


# --- conversion ------------------------------------------------------------------------------------------------------
def to_json_form(value: object) -> JsonValue:
    """Convert a Python value to a JSON value that shares no container with it.

    - Decimal: an integer if it is one, else the float that reads back as the same decimal, else its text.
    - datetime, date, time: RFC 3339 (without an offset if it has none); timedelta: ISO 8601; bytes: base64; UUID, path,
      URL, IP address: their text; an Enum: its value.
    - Generated classes by `to_structured_content()`, pydantic's models and dataclasses in pydantic's JSON mode.
    - Other objects: their fields, or their public attributes. Iterables: an array.
    - Mappings: an object; keys that are not strings become text as in `json.dumps`.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot hold.
        NoJsonType: a TypeError as well, if an object has no JSON form at all.
    """
    return cast(JsonValue, Conversion("json").run(value))


def to_text_form(value: object) -> JsonValue:
    """Do the same as `to_json_form`, but objects without data, or whose class defines `__str__`, become their `str()`.

    Functions, classes and coroutines are errors.
    """
    return cast(JsonValue, Conversion("text").run(value))


class Conversion:
    """A conversion of a value: to JSON, to JSON as `to_text_form` does it, or to JSON of a schema's classes.

    With a schema, attributes are properties by their Python or their wire name; None means absence if the property may
    be absent but not null. An object without fields has only the declared properties.
    """

    def __init__(self, target: Literal["json", "text", "schema"], wrapper: type[JsonObject] | None = None) -> None:
        """Start a conversion; `wrapper` is the class of a `{"result": …}` that the value may be."""
        self._target, self._wrapper = target, wrapper
        self._around: set[int] = set()
        """The ids of the values around the one that is converted."""
        self._misfits = 0
        """Number of undeclared attributes so far."""

    def run(self, value: object, kinds: tuple[Any, ...] = ()) -> Any:
        """Convert a value, whose kinds the schema says, or raise NoJsonForm: JSON cannot hold it."""
        try:
            return self._convert(value, kinds)
        except RecursionError:
            raise NoJsonForm(BEYOND_STACK) from None

    def _open(self, value: Any) -> Any:
        """Return what pydantic or its own class writes for an object, or its fields; anything else unchanged."""
        cls = cast(Any, type(value))
        match _classify(cls):
            case "model" if hasattr(cls, "to_structured_content"):
                return get_json_value(value)
            case "model" | "fields" if (traits := inspect_model(cls)) is not None:
                return self._open_model(value, traits)
            case "code":
                raise NoJsonType(f"a value of type {cls.__name__} is not data")
            case "fields":
                form = _Attributes(get_members(value, map_fields(cls) or {}))
                form.source = value
                return form
            case "other":
                return value if (text := _find_text(value)) is None else text
            case _:
                return value

    def _open_model(self, value: Any, traits: ModelTraits) -> Any:
        """Return what pydantic writes for a model; there may be two such forms."""
        is_for_schema = self._target == "schema"
        inner_conversion = copy.copy(self)  # with the same values around it
        inner_conversion._target = "json" if is_for_schema else self._target
        converted: dict[int, tuple[object, Any]] = {}  # once, by ids of the values, which are kept meanwhile

        def convert(inner: object) -> Any:
            if id(inner) not in converted:
                converted[id(inner)] = inner, inner_conversion._convert(inner)
            return converted[id(inner)][1]

        def write(by_alias: bool | None) -> Any:
            raw = _write_model(value, by_alias, convert, "python") if traits.has_decimals else None
            return _mark_attributes(_write_model(value, by_alias, convert), raw)

        value = _list_iterators(value, frozenset())
        if not is_for_schema:
            return _write_model(value, True, convert)
        form = write(True)
        if isinstance(form, _Attributes) and traits.has_aliases:
            form.other = write(None)
        return form

    def _convert(self, value: Any, kinds: tuple[Any, ...] = ()) -> Any:
        convert = _SCALAR_CONVERTERS.get(cast(Any, type(value)))  # most values are of JSON's own types
        if convert is not None:
            return convert(value)
        match value:
            case dict() | list():
                return self._convert_composite(value, kinds)
            case Enum():
                return self._convert(value.value, kinds)
            case str():
                return _check_text(value)
            case Decimal():
                return _choose_decimal_form(value, kinds)
            case Spelled() | datetime.date() | datetime.time():
                return write_native(value)
            case datetime.timedelta():
                return _format_duration(value)
            case PurePath():
                return _check_text(str(value))
            case bytes() | bytearray() | memoryview():
                return format_scalar(bytes(cast(bytes, value)))
            case Real() if not isinstance(value, Rational) or isinstance(value, Integral):
                return write_number(value)
            case _:
                return self._convert_composite(value, kinds)

    def _convert_composite(self, value: Any, kinds: tuple[Any, ...]) -> Any:
        if id(value) in self._around:
            raise NoJsonForm("refers back to what it is inside of")
        self._around.add(id(value))
        wrapper, self._wrapper = self._wrapper, None  # which only the outermost value may be
        try:
            opened = value if type(value) in (dict, list) else self._open(value)
            cls = cast(Any, type(opened))
            if wrapper is not None:
                is_mapping = issubclass(cls, Mapping)
                members = opened if is_mapping else {} if is_array(opened) else get_attributes(opened)
                kinds = (wrapper,) if is_wrapper(members, wrapper) else kinds
            match _classify(cls):
                case "mapping" if cls is _Attributes:
                    return self._convert_attributes(opened, kinds)
                case "mapping":
                    members = self._read_mapping(opened)
                    return self._convert_members(members, find_shape(members, kinds))
                case "array":
                    return self._convert_array(opened, kinds)
                case _ if opened is not value:
                    return self._convert(opened, kinds)
                case _ if issubclass(cls, Iterable):
                    return self._convert_array(value, kinds)
                case _:
                    return self._convert_object(value, kinds)
        finally:
            self._around.discard(id(value))

    def _convert_array(self, items: Iterable[Any], kinds: tuple[Any, ...]) -> list[Any]:
        out: list[Any] = []
        listed = items if isinstance(items, list | tuple) else read_items(items)
        try:
            for item, inner in zip(listed, items_of(kinds), strict=False):
                out.append(self._convert(item, inner))
        except NoJsonForm as error:
            error.inside(len(out))
            raise
        return out

    def _read_mapping(self, mapping: Mapping[Any, Any]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        listed = mapping.items()
        for key, item in listed if isinstance(mapping, dict) else read_items(listed):
            name = key if type(key) is str and key.isascii() else self._convert_key(key)
            if name in members:
                raise NoJsonForm("two keys are the same in JSON").inside(name)
            members[name] = item
        return members

    def _convert_attributes(self, attributes: _Attributes, kinds: tuple[Any, ...]) -> dict[str, Any]:
        """Convert attributes, or of two forms that with fewer undeclared ones, and what a property computes."""
        members, misfits = self._read_mapping(attributes), self._misfits
        shape = find_shape(members, kinds)
        out = self._convert_members(members, shape, True)
        if attributes.source is not None:
            absent = (name for pair in shape.wires.items() if pair[1] not in out for name in pair)
            if computed := [name for name in absent if is_computed(cast(Any, type(attributes.source)), name)]:
                out |= self._convert_members(shape.select(_read_attributes(attributes.source, computed)), shape)
        if attributes.other is not None:
            misfits, self._misfits = self._misfits - misfits, 0
            other = self._convert_attributes(attributes.other, kinds)
            return other if self._misfits < misfits else out
        return out

    def _convert_members(
        self, members: Mapping[str, Any], shape: Shape, are_attributes: bool = False
    ) -> dict[str, Any]:
        out: dict[str, Any] = {}
        key, kinds, extra = "", shape.kinds, shape.extra
        try:
            for key, item in members.items():
                wire = shape.get_wire_name(key, members) if are_attributes else key
                form = self._convert(item, kinds.get(wire, extra))
                if are_attributes:
                    self._misfits += bool(kinds) and wire not in kinds
                    if form is None and wire in shape.never_null:
                        continue
                out[wire] = form
        except NoJsonForm as error:
            error.inside(key)
            raise
        return out

    def _convert_object(self, value: Any, kinds: tuple[Any, ...]) -> Any:
        """Convert an object without fields: to the declared properties, or else to its public attributes."""
        cls = cast(Any, type(value))
        if self._target == "schema" and not issubclass(cls, SimpleNamespace):
            names = dict.fromkeys(name for shape in list_shapes(kinds) for name in shape.list_names())
            found = _read_attributes(value, names)
            shape = find_shape(found, kinds)
            if shape.wires and not found:
                raise NoJsonForm(f"an object of type {cls.__name__} has none of the properties")
            members = shape.select(found) if shape.wires else _read_attributes(value, get_attributes(value))
            if not shape.wires and not members:
                raise NoJsonType(f"a value of type {cls.__name__} has no JSON form")
            return self._convert_members(members, shape)
        public = get_attributes(value)
        has_text = not public or cls.__str__ is not object.__str__
        if self._target == "text" and has_text and not issubclass(cls, Awaitable | AsyncIterable):
            return _check_text(str(value))
        if not public:
            raise NoJsonType(f"a value of type {cls.__name__} has no JSON form")
        return self._convert_attributes(_Attributes(public), kinds)

    def _convert_key(self, key: Any) -> str:
        form = Conversion("text" if self._target == "text" else "json")._convert(key)
        if isinstance(form, dict | list):
            if self._target != "text":
                raise NoJsonType(f"a value of type {type(key).__name__} cannot be a key")
            form = _check_text(str(key))
        return form if isinstance(form, str) else json.dumps(form)


def _choose_decimal_form(value: Decimal, kinds: tuple[Any, ...]) -> int | float | str:
    """Return the number or the text, as a schema takes only one; the usual form if it takes both or neither."""
    number = write_decimal(value)
    constants = [constant for kind in kinds if get_origin(kind) is Literal for constant in get_args(kind)]
    takes_numbers = any(kind in (int, float, Any) for kind in kinds) or int in map(type, constants)
    others = (BaseModel, int, float, NoneType)  # any other class of values is str, or one for strings of a format
    takes_text = any(kind is Any or (isinstance(kind, type) and not issubclass(kind, others)) for kind in kinds)
    is_text = isinstance(value, _WrittenDecimal) if takes_numbers == takes_text else takes_text
    return str(value) if is_text else number


# --- scalars ---------------------------------------------------------------------------------------------------------
def _check_text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NoJsonForm("a lone surrogate is not text") from None
    return str.__str__(value)


def _format_duration(value: datetime.timedelta) -> str:
    sign, value = ("-", -value) if value < datetime.timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    exact_seconds = f"{seconds}.{value.microseconds:06d}".rstrip("0").rstrip(".")
    parts = ((str(minutes // 60), "H"), (str(minutes % 60), "M"), (exact_seconds, "S"))
    time = "".join(number + unit for number, unit in parts if number != "0")
    days = f"{value.days}D" if value.days or not time else ""
    return f"{sign}P{days}{'T' if time else ''}{time}"


_SCALAR_CONVERTERS: dict[type[Any], Callable[[Any], Any]] = {
    str: _check_text,
    int: check_integer,
    float: check_finite,
    bool: bool,
    NoneType: lambda _: None,
}


def _find_text(value: Any) -> str | None:
    try:
        text = to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return None
    return _check_text(text) if isinstance(text, str) else None
