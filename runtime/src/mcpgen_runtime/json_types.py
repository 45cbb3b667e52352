"""Types of JSON values in annotations, and native formats."""

from __future__ import annotations

import base64
import datetime
import re
import uuid
from contextlib import suppress
from functools import cache, partial
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, GetPydanticSchema, PlainSerializer, PlainValidator, ValidationError
from pydantic_core import PydanticCustomError, PydanticSerializationUnexpectedValue, SchemaValidator, core_schema

from .core_schemas import FLOAT, FORMAT, INTEGER, OTHER_NUMBER, STRING, is_deeper, make_deep_validator
from .package import current_limits


class Spelled:
    """Base of values that remember the string that they were read from."""

    __slots__ = ()
    _text: str

    def __reduce_ex__(self, protocol: Any) -> Any:
        text = getattr(self, "_text", None)  # a value that was computed has none
        return super().__reduce_ex__(protocol) if text is None else (_spell, (type(self), text))


class SpelledDateTime(Spelled, datetime.datetime):
    """A datetime that remembers its string."""

    __slots__ = ("_text",)


class SpelledTime(Spelled, datetime.time):
    """A time that remembers its string."""

    __slots__ = ("_text",)


class SpelledUuid(Spelled, uuid.UUID):
    """A UUID that remembers its string."""

    __slots__ = ("_text",)


class SpelledIPv6(Spelled, IPv6Address):
    """An IPv6Address that remembers its string."""

    __slots__ = ("_text",)


def _construct(cls: Any, text: str) -> Any:
    return cls.fromisoformat(text.upper()) if issubclass(cls, _MOMENTS) else cls(text)


def _spell(cls: type[Any], text: str) -> Any:
    value = _construct(cls, text)
    object.__setattr__(value, "_text", text)  # a UUID refuses plain assignment
    return value


_MINUTE = datetime.timedelta(minutes=1)
_MOMENTS, _IDENTIFIERS = (datetime.date, datetime.time), (uuid.UUID, IPv4Address, IPv6Address)


def write_native(value: Any) -> Any:
    """Return the string of a date, a time, a UUID or an IP address; other values unchanged."""
    if isinstance(value, Spelled) and (text := getattr(value, "_text", None)) is not None:
        return text
    if isinstance(value, datetime.datetime) and (value.utcoffset() or _MINUTE) % _MINUTE:
        value = value.astimezone(datetime.UTC)  # RFC 3339 has no seconds in an offset
    if isinstance(value, _MOMENTS):
        text = value.isoformat()
        return f"{text[:-6]}Z" if text.endswith("+00:00") else text  # as pydantic writes UTC
    return str(value) if isinstance(value, _IDENTIFIERS) else value


def _serialize(value: Any) -> Any:
    if isinstance(value, (dict, list, tuple, BaseModel)):  # another member of a union
        raise PydanticSerializationUnexpectedValue("expected a formatted string")
    return write_native(value)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)  # when it is first needed, which is not at import


class _TooExact(ValueError):
    """A string has its format, but the Python type cannot represent it exactly."""


FormatName: TypeAlias = Literal["date-time", "date", "time", "uuid", "ipv4", "ipv6"]


def _make_format(
    name: FormatName, words: str, pattern: str, cls: type[Any], spelled: type[Any] | None = None
) -> GetPydanticSchema:
    """Return metadata of a type that reads strings of a format, and Python values that can be written as one.

    Messages call the strings `words`. They match a pattern; what else they need to be, the class of the values knows.
    `spelled` is the class of the values that Python would write as other strings.
    """

    def read(text: str) -> Any:
        match = _compile(pattern).fullmatch(text)
        if match is None:
            raise ValueError
        parts = match.groupdict("")
        if parts.get("year") == "0000":
            raise _TooExact("a year from 1 to 9999")
        if parts.get("second") == "60":
            raise _TooExact("no leap second")
        if parts.get("fraction", "")[6:].strip("0"):
            raise _TooExact("at most microseconds")
        value = _construct(cls, text)
        return value if spelled is None or write_native(value) == text else _spell(spelled, text)

    def validate(value: object) -> Any:
        reason = ""
        try:
            if isinstance(value, str):
                return read(value)
            if isinstance(value, cls):
                read(write_native(value))
                return value
        except _TooExact as error:
            reason = f": its Python type takes {error}"
        except (ValueError, OverflowError, TypeError):
            pass
        raise PydanticCustomError(FORMAT, "Input should be {words}", {"words": words + reason})

    def make_schema(source: object, handler: object) -> core_schema.CoreSchema:
        write = core_schema.plain_serializer_function_ser_schema(_serialize)
        return core_schema.no_info_plain_validator_function(validate, metadata={FORMAT: True}, serialization=write)

    return GetPydanticSchema(make_schema, lambda schema, handler: {"type": "string", "format": name})


_DAY = r"(?P<year>\d{4})-\d\d-\d\d"
_CLOCK = r"(?:[01]\d|2[0-3]):\d\d:(?P<second>\d\d)(?:\.(?P<fraction>\d+))?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_OFFSET = "of RFC 3339, with its offset"
DateTime: TypeAlias = Annotated[
    datetime.datetime,
    _make_format("date-time", f"a date-time {_OFFSET}", f"{_DAY}[Tt]{_CLOCK}", datetime.datetime, SpelledDateTime),
]
"""A date and time with its offset from UTC."""
Date: TypeAlias = Annotated[datetime.date, _make_format("date", "a date of RFC 3339, YYYY-MM-DD", _DAY, datetime.date)]
Time: TypeAlias = Annotated[
    datetime.time, _make_format("time", f"a time {_OFFSET}", _CLOCK, datetime.time, SpelledTime)
]
"""A time of day with its offset from UTC."""
Uuid: TypeAlias = Annotated[uuid.UUID, _make_format("uuid", "a UUID", _UUID, uuid.UUID, SpelledUuid)]
NativeIpv4: TypeAlias = Annotated[IPv4Address, _make_format("ipv4", "an IPv4 address", ".*", IPv4Address)]
NativeIpv6: TypeAlias = Annotated[
    IPv6Address, _make_format("ipv6", "an IPv6 address without a zone", "[^%]*", IPv6Address, SpelledIPv6)
]
FORMATTED_TYPES: frozenset[type[Any]] = frozenset(
    {*_MOMENTS, *_IDENTIFIERS, datetime.datetime, SpelledDateTime, SpelledTime, SpelledUuid, SpelledIPv6, bytes}
)
"""Python classes of formatted strings."""


_INNER = core_schema.definition_reference_schema("json-value")
_SCALARS = [STRING, core_schema.bool_schema(strict=True), INTEGER, FLOAT, core_schema.none_schema()]
_CONTAINERS = [core_schema.dict_schema(STRING, _INNER, strict=True), core_schema.list_schema(_INNER, strict=True)]
_ALTERNATIVES: list[Any] = [*_SCALARS, *_CONTAINERS, OTHER_NUMBER]
_ANY_JSON_SCHEMA = core_schema.definitions_schema(
    _INNER, [core_schema.union_schema(_ALTERNATIVES, mode="left_to_right", ref="json-value")]
)
_TEXT, _ANY_JSON = SchemaValidator(STRING), SchemaValidator(_ANY_JSON_SCHEMA)


_get_deep_validator = cache(partial(make_deep_validator, _ANY_JSON_SCHEMA))


def _read_json(value: object) -> object:
    try:
        return _ANY_JSON.validate_python(value)
    except ValidationError:  # perhaps nested too deeply for one call
        limits = current_limits.get()
    with suppress(ValidationError):
        if not is_deeper(value, limits.value_depth):
            return _get_deep_validator().validate_python(value)
    depth = limits.depth_message.removeprefix("should be ")
    message = f"Input should be a JSON value: no NaN, infinity, lone surrogate or Python object, {depth}"
    raise PydanticCustomError("json_value", cast(Any, message))


def _make_json_schema(source: object, handler: object) -> core_schema.CoreSchema:
    return core_schema.no_info_plain_validator_function(_read_json, serialization=core_schema.simple_ser_schema("any"))


if TYPE_CHECKING:
    JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
else:
    JsonValue = Annotated[Any, GetPydanticSchema(_make_json_schema, lambda schema, handler: {})]


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


Base64: TypeAlias = Annotated[bytes | str, PlainValidator(_from_base64), PlainSerializer(format_scalar)]
"""A string with `contentEncoding: base64`: bytes, or the string itself if it is not canonical base64."""
