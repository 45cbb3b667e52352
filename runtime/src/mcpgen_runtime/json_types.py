"""JSON's types as Python annotations."""

from __future__ import annotations

import base64
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from pydantic import (
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationError,
)
from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    SchemaValidator,
    core_schema,
)

from .deep_values import is_deeper, make_deep_validator
from .exact_types import FLOAT, INTEGER, OTHER_NUMBER, STRING
from .limits import get_limits
from .native_formats import write_native

_TEXT = SchemaValidator(STRING)
_INNER = core_schema.definition_reference_schema("json-value")
_ANY_JSON_SCHEMA = core_schema.definitions_schema(
    _INNER,
    [
        core_schema.union_schema(
            [
                STRING,
                core_schema.bool_schema(strict=True),
                INTEGER,
                FLOAT,
                core_schema.none_schema(),
                core_schema.dict_schema(STRING, _INNER, strict=True),
                core_schema.list_schema(_INNER, strict=True),
                OTHER_NUMBER,
            ],
            mode="left_to_right",
            ref="json-value",
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
        pass
    limits = get_limits()
    if not is_deeper(value, limits.value_depth):
        try:
            return _get_deep_json_validator().validate_python(value)
        except ValidationError:
            pass
    depth = limits.depth_message.removeprefix("should be ")
    raise PydanticCustomError(
        "json_value",
        cast(Any, f"Input should be a JSON value: no NaN, infinity, lone surrogate or Python object, {depth}"),
    )


class _JsonValue:
    """Any JSON value: no NaN, no infinity, no lone surrogate, string keys only."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _read_json, serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {}


def _from_base64(value: object) -> bytes | str:
    """Decode canonical base64 (RFC 4648 section 4); any other string stays unchanged, so nothing is lost."""
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
    """Return the JSON string of bytes (base64) or of a formatted value; other values unchanged."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else write_native(value)


_AS_TEXT = PlainSerializer(format_scalar)
Base64: TypeAlias = Annotated[bytes | str, PlainValidator(_from_base64), _AS_TEXT]
"""A string with `contentEncoding: base64`: bytes, or the string itself if it is not canonical base64."""


if TYPE_CHECKING:
    JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
else:
    JsonValue = Annotated[Any, _JsonValue()]
