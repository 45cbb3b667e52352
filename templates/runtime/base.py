"""JSON's types as Python annotations, and the base classes of generated objects."""

from __future__ import annotations

import base64
import datetime
import uuid
from collections.abc import Mapping
from functools import cache, partial
from math import isfinite
from operator import is_
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Self, TypeAlias, cast, get_args

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationError,
    WrapSerializer,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from .copies import Copied
from .deep import TOO_DEEP, make_deep_validator, is_deeper, read_value
from .jsonable import NoJsonForm
from .limits import VALUE_DEPTH

# --- scalars ---------------------------------------------------------------------------------------------------------
_INTEGER = core_schema.int_schema(strict=True)
_FLOAT = core_schema.float_schema(strict=True, allow_inf_nan=False)
_STRING = core_schema.str_schema(
    strict=True, min_length=0
)  # a bound, even 0, makes pydantic refuse lone surrogates


_TEXT = SchemaValidator(_STRING)


def _convert_to_int(value: float) -> int:
    if not value.is_integer():
        raise PydanticCustomError(
            "int_from_float", "Input should be an integer, got a number with a fractional part"
        )
    return int(value)


class _Integer:
    """JSON's integer: 1.0 is one (JSON Schema 2020-12 validation, section 6.1.1), true is not."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        whole = core_schema.no_info_after_validator_function(_convert_to_int, _FLOAT)
        return core_schema.union_schema(
            [_INTEGER, whole],
            custom_error_type="int_type",
            serialization=core_schema.simple_ser_schema("int"),
        )


class _Number:
    """JSON's number: integers and floats stay what they are; neither true nor NaN is one."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.union_schema(
            [_INTEGER, _FLOAT],
            mode="left_to_right",
            custom_error_type="finite_number",
            serialization=core_schema.simple_ser_schema("any"),
        )


_INNER = core_schema.definition_reference_schema("json-value")
_ANY_JSON_SCHEMA = core_schema.definitions_schema(
    _INNER,
    [
        core_schema.union_schema(
            [
                _STRING,
                core_schema.bool_schema(strict=True),
                _INTEGER,
                _FLOAT,
                core_schema.none_schema(),
                core_schema.dict_schema(_STRING, _INNER, strict=True),
                core_schema.list_schema(_INNER, strict=True),
            ],
            mode="left_to_right",
            ref="json-value",
            custom_error_type="json_value",
            custom_error_message=(
                "Input should be a JSON value: no NaN, infinity, lone surrogate or Python object, "
                f"{TOO_DEEP.removeprefix('should be ')}"
            ),
        )
    ],
)
_ANY_JSON = SchemaValidator(_ANY_JSON_SCHEMA)


@cache
def _get_deep_json_validator() -> SchemaValidator:
    return make_deep_validator(_ANY_JSON_SCHEMA)


def _read_json(value: object) -> object:
    try:
        return _ANY_JSON.validate_python(value)
    except ValidationError:  # perhaps nested too deeply for one call
        if is_deeper(value, VALUE_DEPTH):
            raise
    return _get_deep_json_validator().validate_python(value)


class _JsonValue:
    """Any JSON value: no NaN, no infinity, no lone surrogate, string keys only."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _read_json, serialization=core_schema.simple_ser_schema("any")
        )


class _Exactly:
    """One of a Literal's values as JSON compares them: 1 and 1.0 are equal, 1 and true are not."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        allowed: set[tuple[type[Any], Any]] = {(type(value), value) for value in get_args(source)}

        def read_exactly(value: object) -> object:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, str | int | None) and (type(value), value) in allowed:
                return value
            raise PydanticCustomError(
                "literal_error", "Input should be one of the values that the schema lists"
            )

        return core_schema.no_info_plain_validator_function(
            read_exactly, serialization=core_schema.simple_ser_schema("any")
        )


def _from_base64(value: object) -> bytes | str:
    """Decode canonical base64 (RFC 4648 section 4); other text stays text, so that nothing is lost."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("base64", "Input should be bytes or a string")
    text = cast(str, _TEXT.validate_python(value))
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return decoded if base64.b64encode(decoded).decode() == text else text


def _format_scalar(value: Any) -> Any:
    """Return the JSON string of bytes (base64), a date or time (RFC 3339) or a UUID; other values unchanged."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value) if isinstance(value, uuid.UUID) else value


class _Aware:
    """A date-time with an offset, which RFC 3339 section 5.6 requires."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.datetime_schema(tz_constraint="aware")


class _AbsentNotNull:
    """Refuses null from the wire: None only stands for absence in Python."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        if schema["type"] == "nullable":
            return cast(CoreSchema, schema["schema"])
        return core_schema.no_info_before_validator_function(_refuse_null, schema)


def _refuse_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("absent_not_null", "Input may be absent, but not null")
    return value


def _make_omit_marker() -> Any:
    field = Field(exclude_if=partial(is_, None))
    field.metadata.append(_AbsentNotNull())
    return field


Omit: Any = _make_omit_marker()
"""Marks a property that may be absent and is never null: `Annotated[T | None, Omit] = None`."""
Exactly = _Exactly()

AsArray = WrapSerializer(lambda value, handler: [*handler(value)])
"""Marks a tuple that is dumped as a JSON array."""

String: TypeAlias = Annotated[str, Field(strict=True, min_length=0)]
Integer: TypeAlias = Annotated[int, _Integer()]
Number: TypeAlias = Annotated[int | float, _Number()]
Boolean: TypeAlias = Annotated[bool, Field(strict=True)]
_AS_TEXT = PlainSerializer(_format_scalar)
Base64: TypeAlias = Annotated[bytes | str, PlainValidator(_from_base64), _AS_TEXT]
"""A string with `contentEncoding: base64`: bytes, or the text itself if it is not canonical base64."""
DateTime: TypeAlias = Annotated[datetime.datetime, _Aware(), _AS_TEXT]
Date: TypeAlias = Annotated[datetime.date, _AS_TEXT]
Time: TypeAlias = Annotated[datetime.time, _AS_TEXT]
Uuid: TypeAlias = Annotated[uuid.UUID, _AS_TEXT]
if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
    )
else:
    JsonValue = Annotated[Any, _JsonValue()]


def to_json_value(value: Any) -> Any:
    """Convert generated objects inside lists, tuples and mappings to JSON; containers are copied.

    Raises:
        NoJsonForm: it holds something other than JSON, set after validation.
    """
    kind = cast(Any, type(value))
    if kind is str:
        return value if value.isascii() else _check_encodable(value)
    if kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return value if isfinite(value) else _refuse(value)
    if isinstance(value, JsonObject):
        return value.to_structured_content()
    if isinstance(value, Mapping):
        members: dict[str, Any] = {}
        for key, item in cast(
            Any, value
        ).items():  # a comprehension would need one more frame per level
            name = key if type(key) is str and key.isascii() else _check_encodable(key)
            members[name] = to_json_value(item)
        return members
    if isinstance(value, list | tuple):
        items: list[Any] = []
        for item in cast(Any, value):
            items.append(to_json_value(item))
        return items
    text = _format_scalar(value)
    return text if type(text) is str else _refuse(value)


def _check_encodable(text: Any) -> str:
    if type(text) is not str:
        _refuse(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoJsonForm("a lone surrogate is no text") from None
    return text


def _refuse(value: object) -> NoReturn:
    description = repr(value) if type(value) is float else f"value of type {type(value).__name__}"
    raise NoJsonForm(f"JSON has no {description}")


# --- objects ---------------------------------------------------------------------------------------------------------
class JsonObject(Copied):
    """Base of classes for JSON objects: frozen, read and dumped by wire names, without absent properties."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            wires = _rename_to_wire(type(self), data)
            validated = read_value(type(self), wires, instance=self)
            if validated is not self:
                raise TypeError(f"a validator of {type(self).__name__} returned another object")

        __init__.__pydantic_base_init__ = True  # validation does not call this

    def to_structured_content(self) -> dict[str, Any]:
        """Return the JSON object of the properties that are present, under their wire names."""
        raise NotImplementedError


class ClosedObject(JsonObject):
    """An object that refuses undeclared properties."""

    model_config = ConfigDict(extra="forbid")


class OpenObject(JsonObject):
    """An object that keeps undeclared properties and emits them; construction takes them as `extras={…}`."""

    model_config = ConfigDict(extra="allow")
    if not TYPE_CHECKING:
        __pydantic_extra__: dict[String, JsonValue]

        def __init__(self, /, *, extras: Mapping[str, Any] | None = None, **data: Any) -> None:
            wires = _rename_to_wire(type(self), data)
            fields = _map_wire_names(type(self))
            declared = set(fields.values())
            for name in data:
                if name not in fields and name not in declared:
                    raise TypeError(
                        f"{type(self).__name__} has no property {name!r}; undeclared ones go in by extras={{...}}"
                    )
            for name in extras or ():
                if name in declared:
                    raise TypeError(
                        f"{name!r} is declared by {type(self).__name__}, so it is no extra"
                    )
            wires.update(extras or {})
            read_value(type(self), wires, instance=self)

        __init__.__pydantic_base_init__ = True


def _omit_unset(
    self: JsonObject, handler: SerializerFunctionWrapHandler, info: SerializationInfo
) -> dict[str, Any]:
    out: dict[str, Any] = handler(self)
    for name, wire in _map_wire_names(type(self)).items():
        if name not in self.model_fields_set:
            out.pop(name if info.by_alias is False else wire, None)
    return out


class SparseOpenObject(OpenObject):
    """An open object with properties that may be absent or null: those are emitted only when they were set."""

    _omit_unset = model_serializer(mode="wrap")(_omit_unset)


class RenamedOpenObject(SparseOpenObject):
    """An open object whose undeclared properties may be named on the wire like declared ones in Python."""

    @model_validator(mode="wrap")
    @classmethod
    def _tell_apart(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Undo that undeclared properties mark declared ones as set, since pydantic compares Python names."""
        instance = handler(value)
        if instance.__pydantic_extra__ and isinstance(value, Mapping):
            for name, wire in _map_wire_names(cls).items():
                if name in instance.__pydantic_extra__ and wire not in value:
                    instance.__pydantic_fields_set__.discard(name)
        return instance


class SparseClosedObject(ClosedObject):
    """A closed object with properties that may be absent or null: those are emitted only when they were set."""

    _omit_unset = model_serializer(mode="wrap")(_omit_unset)


@cache
def _map_wire_names(cls: type[JsonObject]) -> dict[str, str]:
    """Map the Python names of a class's properties to wire names."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return {
        name: name if field.alias is None else field.alias
        for name, field in cls.model_fields.items()
    }


@cache
def _list_never_null(cls: type[JsonObject]) -> frozenset[str]:
    """List the wire names of properties for which None means absence."""
    fields = cls.model_fields.items()
    return frozenset(
        name if field.alias is None else field.alias
        for name, field in fields
        if field.exclude_if is not None
    )


def _rename_to_wire(cls: type[JsonObject], data: dict[str, Any]) -> dict[str, Any]:
    """Rename keyword arguments to wire names, and drop those whose None means absence."""
    wires, absent = _map_wire_names(cls), _list_never_null(cls)
    out: dict[str, Any] = {}
    for name, value in data.items():
        wire = wires.get(name, name)
        if value is None and wire in absent:
            continue
        if wire in out:
            raise TypeError(
                f"{cls.__name__} got {wire!r} twice, by its Python and by its wire name"
            )
        out[wire] = value
    return out


__all__ = [
    "AsArray",
    "Base64",
    "Boolean",
    "ClosedObject",
    "Date",
    "DateTime",
    "Exactly",
    "Integer",
    "JsonObject",
    "JsonValue",
    "Number",
    "Omit",
    "OpenObject",
    "RenamedOpenObject",
    "SparseClosedObject",
    "SparseOpenObject",
    "String",
    "Time",
    "Uuid",
    "to_json_value",
]
