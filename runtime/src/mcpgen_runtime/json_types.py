"""Types of JSON values in annotations, native formats, and classes whose schema pydantic checks whole."""

from __future__ import annotations

import base64
import datetime
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Annotated, Any, Literal, LiteralString, NamedTuple, NoReturn, TypeAlias, cast

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
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

from .core_schemas import (
    BRIEF_ERRORS,
    FLOAT,
    INTEGER,
    OTHER_NUMBER,
    STRING,
    find_errors,
    is_deeper,
    list_inner,
    make_deep_validator,
    walk_schemas,
)
from .errors import MOST_PROBLEMS, Problem, describe_value, sort_by_place
from .package import current_limits


class Spelled:
    """Base of values that remember the string that they were read from."""

    __slots__ = ()


class SpelledDateTime(Spelled, datetime.datetime):
    """A datetime that remembers its string."""

    __slots__ = ("_text",)
    _text: str

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _reduce(self, "date-time") or super().__reduce_ex__(protocol)


class SpelledTime(Spelled, datetime.time):
    """A time that remembers its string."""

    __slots__ = ("_text",)
    _text: str

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _reduce(self, "time") or super().__reduce_ex__(protocol)


class SpelledUuid(Spelled, uuid.UUID):
    """A UUID that remembers its string."""

    __slots__ = ("_text",)
    _text: str

    def __reduce__(self) -> Any:
        return _reduce(self, "uuid") or super().__reduce__()


class SpelledIPv6(Spelled, IPv6Address):
    """An IPv6Address that remembers its string."""

    __slots__ = ("_text",)
    _text: str

    def __reduce__(self) -> Any:
        return _reduce(self, "ipv6") or super().__reduce__()


def _remember(value: Any, text: str) -> Any:
    object.__setattr__(value, "_text", text)  # a UUID refuses plain assignment
    return value


def _reduce(value: Any, name: str) -> Any:
    """Return how to copy and unpickle a value; None if it was computed and remembers nothing."""
    text = getattr(value, "_text", None)
    return None if text is None else (_read_text, (name, text))


def _read_text(name: str, text: str) -> Any:
    return _FORMATS[name].read(text)


# --- reading ---------------------------------------------------------------------------------------------------------
_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_CLOCK = (
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.(?P<fraction>\d+))?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<zone_hour>[01]\d|2[0-3]):(?P<zone_minute>[0-5]\d))"
)
_DAY_AND_CLOCK = f"{_DAY}[Tt]{_CLOCK}"
_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed, which is not at import."""
    return re.compile(pattern, re.ASCII)


class _TooExact(ValueError):
    """A string has its format, but the Python type cannot represent it exactly."""


def _read_date(text: str) -> datetime.date:
    match = _compile(_DAY).fullmatch(text)
    if match is None:
        raise ValueError
    return datetime.date(*_read_day(match))


def _read_time(text: str) -> datetime.time:
    match = _compile(_CLOCK).fullmatch(text)
    if match is None:
        raise ValueError
    clock, zone = _read_clock(match), _read_zone(match)
    value = datetime.time(*clock, zone)
    if _write_moment(value) == text:
        return value
    spelled: datetime.time = _remember(SpelledTime(*clock, zone), text)
    return spelled


def _read_date_time(text: str) -> datetime.datetime:
    match = _compile(_DAY_AND_CLOCK).fullmatch(text)
    if match is None:
        raise ValueError
    day, clock, zone = _read_day(match), _read_clock(match), _read_zone(match)
    value = datetime.datetime(*day, *clock, zone)
    if _write_moment(value) == text:
        return value
    spelled: datetime.datetime = _remember(SpelledDateTime(*day, *clock, zone), text)
    return spelled


def _read_day(match: re.Match[str]) -> tuple[int, int, int]:
    if match["year"] == "0000":
        raise _TooExact("a year from 1 to 9999")
    return int(match["year"]), int(match["month"]), int(match["day"])


def _read_clock(match: re.Match[str]) -> tuple[int, int, int, int]:
    fraction = match["fraction"] or ""
    if match["second"] == "60":
        raise _TooExact("no leap second")
    if fraction[6:].strip("0"):
        raise _TooExact("at most microseconds")
    micro = int(fraction[:6].ljust(6, "0"))
    return int(match["hour"]), int(match["minute"]), int(match["second"]), micro


def _read_zone(match: re.Match[str]) -> datetime.timezone:
    if match["sign"] is None:
        return datetime.UTC
    minutes = 60 * int(match["zone_hour"]) + int(match["zone_minute"])
    return datetime.timezone(datetime.timedelta(minutes=-minutes if match["sign"] == "-" else minutes))


def _read_uuid(text: str) -> uuid.UUID:
    if _compile(_UUID).fullmatch(text) is None:
        raise ValueError
    value = uuid.UUID(text)
    return value if str(value) == text else _remember(SpelledUuid(text), text)


def _read_ipv6(text: str) -> IPv6Address:
    value = IPv6Address(text)
    if value.scope_id is not None:
        raise ValueError
    return value if str(value) == text else _remember(SpelledIPv6(text), text)


# --- writing ---------------------------------------------------------------------------------------------------------
def write_native(value: Any) -> Any:
    """Return the string of a date, a time, a UUID or an IP address; other values unchanged."""
    if isinstance(value, Spelled) and (text := getattr(value, "_text", None)) is not None:
        return text
    if isinstance(value, datetime.datetime):
        offset = value.utcoffset()
        if offset is not None and offset % datetime.timedelta(minutes=1):
            value = value.astimezone(datetime.UTC)  # RFC 3339 has no seconds in an offset
        return _write_moment(value)
    if isinstance(value, datetime.time):
        return _write_moment(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value) if isinstance(value, uuid.UUID | IPv4Address | IPv6Address) else value


def _write_moment(value: datetime.datetime | datetime.time) -> str:
    """Return the string of a moment or a time of day, with `Z` for UTC as pydantic writes it."""
    text = value.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


_OTHER_JSON = (dict, list, tuple, BaseModel)


def _serialize(value: Any) -> Any:
    if isinstance(value, _OTHER_JSON):  # another member of a union
        raise PydanticSerializationUnexpectedValue("expected a formatted string")
    return write_native(value)


# --- types -----------------------------------------------------------------------------------------------------------
FormatName: TypeAlias = Literal["date-time", "date", "time", "uuid", "ipv4", "ipv6"]


class _Format(NamedTuple):
    """A format: its Python class, how to read its strings, and the name of its values in messages."""

    cls: type[Any]
    read: Callable[[str], Any]
    words: str


_FORMATS: dict[str, _Format] = {
    "date-time": _Format(datetime.datetime, _read_date_time, "a date-time of RFC 3339, with its offset"),
    "date": _Format(datetime.date, _read_date, "a date of RFC 3339, YYYY-MM-DD"),
    "time": _Format(datetime.time, _read_time, "a time of RFC 3339, with its offset"),
    "uuid": _Format(uuid.UUID, _read_uuid, "a UUID"),
    "ipv4": _Format(IPv4Address, IPv4Address, "an IPv4 address"),
    "ipv6": _Format(IPv6Address, _read_ipv6, "an IPv6 address without a zone"),
}


FORMAT_ERROR: LiteralString = "string_format"
"""Type of pydantic's errors about native formats."""


class Native:
    """Metadata of a type: reads strings of a format, and Python values that can be written as one."""

    def __init__(self, name: FormatName) -> None:
        self._name, self._format = name, _FORMATS[name]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self._validate, serialization=core_schema.plain_serializer_function_ser_schema(_serialize)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "format": self._name}

    def _validate(self, value: object) -> Any:
        try:
            if isinstance(value, str):
                return self._format.read(value)
            if isinstance(value, self._format.cls):
                self._format.read(write_native(value))
                return value
        except _TooExact as error:
            self._refuse(f": its Python type takes {error}")
        except (ValueError, OverflowError, TypeError):
            pass
        self._refuse()

    def _refuse(self, reason: str = "") -> NoReturn:
        description = self._format.words + reason
        raise PydanticCustomError(FORMAT_ERROR, "Input should be {words}", {"words": description})


DateTime: TypeAlias = Annotated[datetime.datetime, Native("date-time")]
"""A date and time with its offset from UTC."""
Date: TypeAlias = Annotated[datetime.date, Native("date")]
Time: TypeAlias = Annotated[datetime.time, Native("time")]
"""A time of day with its offset from UTC."""
Uuid: TypeAlias = Annotated[uuid.UUID, Native("uuid")]
NativeIpv4: TypeAlias = Annotated[IPv4Address, Native("ipv4")]
NativeIpv6: TypeAlias = Annotated[IPv6Address, Native("ipv6")]
NATIVE_TYPES: frozenset[type[Any]] = frozenset(
    {kind.cls for kind in _FORMATS.values()} | {SpelledDateTime, SpelledTime, SpelledUuid, SpelledIPv6}
)
"""Python classes of the values."""


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
    limits = current_limits.get()
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


_Path: TypeAlias = tuple[str | int, ...]
CHECKED: Any = object()
"""Validation context of a value whose schema needs no check."""


@cache
def says_all(cls: type[BaseModel]) -> bool:
    """Return whether a class accepts what its schema accepts, and no value that is nested without a limit.

    A class whose schema is stricter than its types has a validator of its own, which is not among `_PLAIN_TYPES`.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return _is_plain(cast(dict[str, Any], cls.__pydantic_core_schema__))


def _is_plain(schema: dict[str, Any]) -> bool:
    """Return whether a core schema has plain types alone, without references and open objects."""
    kind = schema["type"]
    if kind == "json-or-python":
        return _is_plain(schema["json_schema"])
    if kind not in _PLAIN_TYPES:
        return False
    if kind == "model" and not (schema.get("root_model") or _is_closed(schema)):
        return False
    return all(map(_is_plain, list_inner(schema)))


def _is_closed(model: dict[str, Any]) -> bool:
    return bool(model["config"].get("extra_fields_behavior") == "forbid")


_PLAIN_TYPES = frozenset(
    "bool chain default dict float function-after int list literal model model-field model-fields none nullable str "
    "tagged-union tuple union".split()
)
"""Types of a core schema that accept the same values as the keywords that they were generated from."""


# --- why a value was refused -----------------------------------------------------------------------------------------
_WITH_FORMATS = "should fit, with the formats of its strings"
"""What is expected of a place if it is unclear which string breaks its format."""


def explain_refusal(cls: type[BaseModel], value: object, problems: Sequence[Problem]) -> list[Problem]:
    """Return the first violations of the schema and of native formats, in the order of the value.

    Args:
        cls: the class that refused the value.
        value: the JSON value.
        problems: violations of the schema.
    """
    formats = [
        problem
        for problem in _find_format_problems(cls, value)
        if problem.expected != _WITH_FORMATS or not any(_is_related(problem.path, other.path) for other in problems)
    ]
    return sort_by_place([*problems, *formats], value)[:MOST_PROBLEMS]


def _is_related(path: _Path, other: _Path) -> bool:
    """Return whether one of two places is inside the other."""
    return all(token == other_token for token, other_token in zip(path, other, strict=False))


def _find_format_problems(cls: type[BaseModel], value: object) -> list[Problem]:
    """Return the places in a JSON value that break native formats of a class."""
    try:
        error = find_errors(cls, value, CHECKED)
    except Exception:  # foreign objects may raise anything
        return []
    if error is None:
        return []
    details = error.errors(include_url=False, include_input=False)
    problems, _ = _read_errors([(detail["loc"], detail) for detail in details], value, ())
    return problems


def _read_errors(errors: Iterable[tuple[_Path, Any]], value: Any, path: _Path) -> tuple[list[Problem], bool]:
    """Return the violations of native formats in a part of a value, and whether something else is wrong there.

    Args:
        errors: pydantic's errors, each with the rest of its `loc`: members and items, but also names of alternatives.
        value: the part.
        path: members and indices that lead to it.
    """
    problems: list[Problem] = []
    is_wrong = False
    inside: dict[str | int, list[tuple[_Path, Any]]] = {}
    alternatives: dict[str | int, list[tuple[_Path, Any]]] = {}
    for rest, detail in errors:
        if rest:
            group = inside if _has_part(value, rest[0]) else alternatives
            group.setdefault(rest[0], []).append((rest[1:], detail))
        elif detail["type"] == FORMAT_ERROR and isinstance(value, str):
            expected = f"should be {detail['ctx']['words']}"
            problems.append(Problem(path, "format", expected, describe_value(value)))
        elif detail["type"] in BRIEF_ERRORS:
            problems.append(_make_general_problem(path, value))
        else:
            is_wrong = True
    for token, part in inside.items():
        found, is_part_wrong = _read_errors(part, cast(Any, value)[token], (*path, token))
        problems.extend(found)
        is_wrong = is_wrong or is_part_wrong
    read = [_read_errors(alternative, value, path) for alternative in alternatives.values()]
    likely = [found for found, is_unlikely in read if not is_unlikely]
    if len(likely) == 1:
        problems.extend(likely[0])
    elif any(found for found, _ in read):
        problems.append(_make_general_problem(path, value))
    else:
        is_wrong = is_wrong or bool(read)
    return problems, is_wrong


def _has_part(value: Any, token: str | int) -> bool:
    if isinstance(token, int):
        return isinstance(value, list | tuple) and token < len(cast(Any, value))
    return isinstance(value, dict) and token in value


def _make_general_problem(path: _Path, value: object) -> Problem:
    return Problem(path, "format", _WITH_FORMATS, describe_value(value))


@cache
def reads_formats(cls: type[BaseModel]) -> bool:
    """Return whether a class, or one inside of it, has a native format."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return any(map(_is_format, walk_schemas(cls.__pydantic_core_schema__)))


def _is_format(schema: dict[str, Any]) -> bool:
    function = schema.get("function")
    if isinstance(function, dict):
        function = cast(dict[str, Any], function)["function"]
    return isinstance(getattr(function, "__self__", None), Native)
