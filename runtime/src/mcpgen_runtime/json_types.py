"""Types of JSON values in annotations, and native formats."""

from __future__ import annotations

import base64
import datetime
import re
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, cast

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    GetPydanticSchema,
    PlainSerializer,
    PlainValidator,
    ValidationError,
)
from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    PydanticSerializationUnexpectedValue,
    SchemaValidator,
    core_schema,
)

from .core_schemas import FLOAT, FORMAT, INTEGER, OTHER_NUMBER, STRING, is_deeper, make_deep_validator
from .package import get_limits


class Spelled:
    """Base of values that remember the string that they were read from."""

    __slots__ = ()
    _format: ClassVar[str]
    _text: str

    def __reduce_ex__(self, protocol: Any) -> Any:
        text = getattr(self, "_text", None)  # a value that was computed has none
        return super().__reduce_ex__(protocol) if text is None else (_read_text, (self._format, text))


class SpelledDateTime(Spelled, datetime.datetime):
    """A datetime that remembers its string."""

    __slots__ = ("_text",)
    _format = "date-time"


class SpelledTime(Spelled, datetime.time):
    """A time that remembers its string."""

    __slots__ = ("_text",)
    _format = "time"


class SpelledUuid(Spelled, uuid.UUID):
    """A UUID that remembers its string."""

    __slots__ = ("_text",)
    _format = "uuid"


class SpelledIPv6(Spelled, IPv6Address):
    """An IPv6Address that remembers its string."""

    __slots__ = ("_text",)
    _format = "ipv6"


def _read_text(name: str, text: str) -> Any:
    return _FORMATS[name].read(text)


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


_OTHER_JSON = (dict, list, tuple, BaseModel)


def _serialize(value: Any) -> Any:
    if isinstance(value, _OTHER_JSON):  # another member of a union
        raise PydanticSerializationUnexpectedValue("expected a formatted string")
    return write_native(value)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed, which is not at import."""
    return re.compile(pattern, re.ASCII)


class _TooExact(ValueError):
    """A string has its format, but the Python type cannot represent it exactly."""


FormatName: TypeAlias = Literal["date-time", "date", "time", "uuid", "ipv4", "ipv6"]


@dataclass(frozen=True)
class Native:
    """Metadata of a type: reads strings of a format, and Python values that can be written as one."""

    name: FormatName
    words: str
    """What its strings are, for messages."""
    pattern: str
    """A pattern that they match; what else they need to be, the Python class knows."""
    cls: type[Any]
    """The Python class of the values."""
    spelled: type[Any] | None = None
    """The class of values that Python would write as other strings."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self._validate,
            metadata={FORMAT: True},
            serialization=core_schema.plain_serializer_function_ser_schema(_serialize),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "format": self.name}

    def read(self, text: str) -> Any:
        """Return the value of a string; raise a ValueError if it has another format, or if Python has no such value."""
        match = _compile(self.pattern).fullmatch(text)
        if match is None:
            raise ValueError
        parts = match.groupdict("")
        if parts.get("year") == "0000":
            raise _TooExact("a year from 1 to 9999")
        if parts.get("second") == "60":
            raise _TooExact("no leap second")
        if parts.get("fraction", "")[6:].strip("0"):
            raise _TooExact("at most microseconds")
        value = _construct(self.cls, text)
        if self.spelled is not None and write_native(value) != text:
            value = _construct(self.spelled, text)
            object.__setattr__(value, "_text", text)  # a UUID refuses plain assignment
        return value

    def _validate(self, value: object) -> Any:
        reason = ""
        try:
            if isinstance(value, str):
                return self.read(value)
            if isinstance(value, self.cls):
                self.read(write_native(value))
                return value
        except _TooExact as error:
            reason = f": its Python type takes {error}"
        except (ValueError, OverflowError, TypeError):
            pass
        raise PydanticCustomError(FORMAT, "Input should be {words}", {"words": self.words + reason})


def _construct(cls: Any, text: str) -> Any:
    return cls.fromisoformat(text.upper()) if issubclass(cls, _MOMENTS) else cls(text)


_DAY = r"(?P<year>\d{4})-\d\d-\d\d"
_CLOCK = (
    r"(?:[01]\d|2[0-3]):\d\d:(?P<second>\d\d)(?:\.(?P<fraction>\d+))?"
    r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
)
_DATE_TIME = Native(
    "date-time", "a date-time of RFC 3339, with its offset", f"{_DAY}[Tt]{_CLOCK}", datetime.datetime, SpelledDateTime
)
_DATE = Native("date", "a date of RFC 3339, YYYY-MM-DD", _DAY, datetime.date)
_TIME = Native("time", "a time of RFC 3339, with its offset", _CLOCK, datetime.time, SpelledTime)
_UUID_PATTERN = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_UUID = Native("uuid", "a UUID", _UUID_PATTERN, uuid.UUID, SpelledUuid)
_IPV4 = Native("ipv4", "an IPv4 address", ".*", IPv4Address)
_IPV6 = Native("ipv6", "an IPv6 address without a zone", "[^%]*", IPv6Address, SpelledIPv6)
_FORMATS: dict[str, Native] = {native.name: native for native in (_DATE_TIME, _DATE, _TIME, _UUID, _IPV4, _IPV6)}
DateTime: TypeAlias = Annotated[datetime.datetime, _DATE_TIME]
"""A date and time with its offset from UTC."""
Date: TypeAlias = Annotated[datetime.date, _DATE]
Time: TypeAlias = Annotated[datetime.time, _TIME]
"""A time of day with its offset from UTC."""
Uuid: TypeAlias = Annotated[uuid.UUID, _UUID]
NativeIpv4: TypeAlias = Annotated[IPv4Address, _IPV4]
NativeIpv6: TypeAlias = Annotated[IPv6Address, _IPV6]
FORMATTED_TYPES: frozenset[type[Any]] = frozenset(
    {native.cls for native in _FORMATS.values()} | {SpelledDateTime, SpelledTime, SpelledUuid, SpelledIPv6, bytes}
)
"""Python classes of formatted strings."""


_TEXT = SchemaValidator(STRING)
_INNER = core_schema.definition_reference_schema("json-value")
_SCALARS = [STRING, core_schema.bool_schema(strict=True), INTEGER, FLOAT, core_schema.none_schema()]
_CONTAINERS = [core_schema.dict_schema(STRING, _INNER, strict=True), core_schema.list_schema(_INNER, strict=True)]
_ALTERNATIVES: list[Any] = [*_SCALARS, *_CONTAINERS, OTHER_NUMBER]
_ANY_JSON_SCHEMA = core_schema.definitions_schema(
    _INNER, [core_schema.union_schema(_ALTERNATIVES, mode="left_to_right", ref="json-value")]
)
_ANY_JSON = SchemaValidator(_ANY_JSON_SCHEMA)


@cache
def _get_deep_json_validator() -> SchemaValidator:
    return make_deep_validator(_ANY_JSON_SCHEMA)


def _read_json(value: object) -> object:
    try:
        return _ANY_JSON.validate_python(value)
    except ValidationError:  # perhaps nested too deeply for one call
        limits = get_limits()
    with suppress(ValidationError):
        if not is_deeper(value, limits.value_depth):
            return _get_deep_json_validator().validate_python(value)
    depth = limits.depth_message.removeprefix("should be ")
    message = f"Input should be a JSON value: no NaN, infinity, lone surrogate or Python object, {depth}"
    raise PydanticCustomError("json_value", cast(Any, message))


def _make_json_schema(source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
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
