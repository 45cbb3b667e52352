"""JSON's types as Python annotations."""

from __future__ import annotations

import base64
import datetime
import uuid
from functools import cache, partial
from operator import is_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast, get_args

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    WrapSerializer,
)
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from .deep_values import TOO_DEEP, is_deeper, make_deep_validator
from .limits import VALUE_DEPTH

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


def format_scalar(value: Any) -> Any:
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
_AS_TEXT = PlainSerializer(format_scalar)
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
