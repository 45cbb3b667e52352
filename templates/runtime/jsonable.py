"""Any Python value as the JSON value that it stands for."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from numbers import Integral, Rational, Real
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from pydantic import BaseModel, RootModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from .violations import shortened_path

if TYPE_CHECKING:
    from .base import JsonValue

T = TypeVar("T")
_ABSENT: Any = object()
_DIGITS = 4300
"""Python writes and reads no longer integers (`sys.get_int_max_str_digits`)."""


def pointer(tokens: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of these tokens."""
    return "".join("/" + str(one).replace("~", "~0").replace("/", "~1") for one in tokens)


class NoJsonForm(ValueError):
    """A value that JSON cannot hold: NaN, an infinity, a lone surrogate, a cycle, two keys that fall together.

    `pointer` is the JSON pointer of the place, `reason` what is wrong there; `subject` may say whose value it is. The
    message shows a long pointer without its middle.
    """

    def __init__(self, reason: str, subject: str = "") -> None:
        super().__init__(reason)
        self.reason, self.subject = reason, subject
        self._path: list[str | int] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.subject), self.__dict__

    @property
    def path(self) -> list[str | int]:
        """The members and indices that lead to the place."""
        return self._path[::-1]

    @property
    def pointer(self) -> str:
        return pointer(self.path)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.subject, self.place(), self.reason) if part)

    def place(self, most: int = 1_000) -> str:
        """Return the JSON pointer in about so many characters."""
        return pointer(shortened_path(self.path, most))

    def inside(self, token: str | int) -> None:
        """Note that the place is below this member or index of what surrounds it."""
        self._path.append(token)


class NoJsonType(NoJsonForm, TypeError):
    """An object that nothing is known of: neither data nor attributes."""


def own_form(value: Any) -> Any:
    """The JSON value that a generated instance says that it is.

    Raises:
        NoJsonForm: it was changed since it was made, into what its class cannot write.
    """
    return written(value, value.to_structured_content)


BEYOND_STACK = "nested too deeply, beyond the limit of Python's stack"
"""What is said of a value that cannot even be looked at."""


def written(instance: object, write: Callable[[], T]) -> T:
    """What a method of a generated instance writes.

    Raises:
        NoJsonForm: it cannot, since the instance was changed since it was made.
    """
    try:
        return write()
    except NoJsonForm:
        raise
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None
    except Exception as error:  # what generated code meets in a changed instance can be anything
        name, why = type(instance).__name__, type(error).__name__
        raise NoJsonForm(f"the {name} cannot be written as it is now ({why})") from error


class Attributes(dict[str, Any]):
    """The JSON object of an object's attributes, under their Python names."""


def to_json_form(value: object) -> JsonValue:
    """The JSON value of a Python value, as a copy that shares no container with it.

    - str, bool, None, int and finite floats are themselves; an Enum is its value.
    - Decimal: an integer where it is one, else the float that reads back as the same decimal, else its text.
    - datetime, date, time: RFC 3339 (no offset where it has none); timedelta: ISO 8601; bytes: base64; UUID, path, URL,
      IP address: their text.
    - Generated classes by `to_structured_content()`, pydantic models with serializers by `model_dump(by_alias=True)`.
    - Other pydantic models, dataclasses and objects with attributes: an object of their fields or public attributes.
    - Mappings: an object; keys that are no strings become text as `json.dumps` would have it.
    - Lists, tuples, sets, generators and other iterables: an array.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot hold.
        NoJsonType: a TypeError as well, where an object has no JSON form at all.
    """
    try:
        return cast("JsonValue", _form(value, set()))
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None


def attributes(value: object) -> dict[str, Any]:
    """The public attributes that an object holds, in `__dict__` or in `__slots__`."""
    slots = [name for cls in reversed(type(value).__mro__) for name in _slots(cls)]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    held.update(getattr(value, "__dict__", {}))
    return {name: item for name, item in held.items() if not name.startswith("_")}


def _slots(cls: type[Any]) -> Iterable[str]:
    slots: Any = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else cast(Iterable[str], slots)


def _form(value: object, around: set[int]) -> Any:
    own = _JSON.get(type(value))  # most values are of JSON's own types
    if own is not None:
        return own(value)
    match value:
        case None | bool():
            return value
        case Enum():
            return _form(value.value, around)
        case str():
            return _text(value)
        case float():
            return _finite(value)
        case int():
            return int(value)
        case Decimal():
            return _decimal(value)
        case datetime.datetime():
            return _moment(value)
        case datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return _duration(value)
        case PurePath():
            return _text(str(value))
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(cast(bytes, value)).decode()
        case Integral():
            return int(value)
        case Real() if not isinstance(value, Rational):
            return _finite(float(value))
        case _:
            return _composite(value, around)


def _composite(value: Any, around: set[int]) -> Any:
    """The form of what may hold other values; `around` are the ids of those that it is inside of."""
    if id(value) in around:
        raise NoJsonForm("refers back to what it is inside of")
    around.add(id(value))
    kind = cast(Any, type(value))  # asked instead of the value, which so stays an Any
    try:
        match _sort(kind):
            case "array":
                return _array(value, around)
            case "mapping":
                form = _object(value, around)
                return Attributes(form) if issubclass(kind, Attributes) else form
            case "fields":
                return _members(members_of(value, fields_of(kind) or {}), around)
            case "model":
                if hasattr(kind, "to_structured_content"):
                    return _form(own_form(value), around)
                return _form(_marked(value.model_dump(by_alias=True)), around)
            case "code":
                raise NoJsonType(f"a value of type {kind.__name__} is no data")
            case "other":
                return _other(value, around)
    finally:
        around.discard(id(value))


@lru_cache(512)
def _sort(kind: Any) -> Literal["array", "mapping", "fields", "model", "code", "other"]:
    if issubclass(kind, type) or any("__call__" in one.__dict__ for one in kind.__mro__):
        return "code"
    if issubclass(kind, BaseModel):
        return "fields" if _is_its_fields(kind) else "model"
    if dataclasses.is_dataclass(kind):
        return "fields"
    if issubclass(kind, Mapping):
        return "mapping"
    return "array" if issubclass(kind, list | tuple | set | frozenset | Iterator) else "other"


def _is_its_fields(model: type[BaseModel]) -> bool:
    """Whether a dump of a model is nothing but its fields: none has a serializer, is left out, computed or undeclared."""
    return not (
        hasattr(model, "to_structured_content")
        or issubclass(model, RootModel)
        or model.model_dump is not BaseModel.model_dump
        or model.model_computed_fields
        or model.model_config.get("extra") == "allow"
        or _serializes(model.__pydantic_core_schema__)
    )


def _serializes(schema: Any) -> bool:
    """Whether a core schema of pydantic's says somewhere how a value is written."""
    if isinstance(schema, list | tuple):
        return any(_serializes(part) for part in cast(list[Any], schema))
    if not isinstance(schema, dict):
        return False
    held = cast(dict[str, Any], schema)
    words = _WRITING.intersection(held) or held.get("type") == "missing-sentinel"
    return bool(words) or any(_serializes(held[key]) for key in held.keys() - _NO_SCHEMAS)


_WRITING = frozenset({"serialization", "serialization_exclude", "serialization_exclude_if"})
_NO_SCHEMAS = frozenset({"cls", "config", "default", "function", "metadata"})


@lru_cache(512)
def fields_of(kind: Any) -> dict[str, str] | None:
    """Attribute → name of the fields of a dataclass, or of a pydantic model that is nothing else; None of other classes."""
    if _sort(kind) != "fields":
        return None
    if dataclasses.is_dataclass(kind):
        return {field.name: field.name for field in dataclasses.fields(kind)}
    fields = cast(type[BaseModel], kind).model_fields.items()
    return {name: field.serialization_alias or name for name, field in fields}


def members_of(value: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """The attributes of a value, by other names."""
    held = {name: getattr(value, attribute, _ABSENT) for attribute, name in names.items()}
    return {name: item for name, item in held.items() if item is not _ABSENT}


def _other(value: Any, around: set[int]) -> Any:
    if (text := _known_text(value)) is not None:
        return _text(text)
    if isinstance(value, Iterable):
        return _array(cast(Any, value), around)
    held = attributes(value)
    if not held:
        raise NoJsonType(f"a value of type {type(value).__name__} has no JSON form")
    return _members(held, around)


def _marked(dumped: Any) -> Any:
    """A model's dump, whose objects are attributes."""
    if isinstance(dumped, dict):
        return Attributes(
            (key, _marked(item)) for key, item in cast(dict[str, Any], dumped).items()
        )
    if isinstance(dumped, list | tuple):
        return [_marked(item) for item in cast(list[Any], dumped)]
    return dumped


def _array(items: Iterable[Any], around: set[int]) -> list[Any]:
    out: list[Any] = []
    try:
        for item in items:
            out.append(_form(item, around))
    except NoJsonForm as error:
        error.inside(len(out))
        raise
    return out


def _members(held: Mapping[str, Any], around: set[int]) -> Attributes:
    """The object of attributes, whose names are text."""
    out, name = Attributes(), ""
    try:
        for name, item in held.items():
            out[name] = _form(item, around)
    except NoJsonForm as error:
        error.inside(name)
        raise
    return out


def _object(held: Mapping[Any, Any], around: set[int]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, item in held.items():
        name = _key(key)
        if name in out:
            error = NoJsonForm("two keys are the same in JSON")
            error.inside(name)
            raise error
        try:
            out[name] = _form(item, around)
        except NoJsonForm as error:
            error.inside(name)
            raise
    return out


def _key(key: Any) -> str:
    if type(key) is str and key.isascii():
        return key
    form = _form(key, set())
    if isinstance(form, str):
        return form
    if form is None or isinstance(form, bool):
        return {None: "null", True: "true", False: "false"}[form]
    if isinstance(form, int | float):
        return repr(form)
    raise NoJsonType(f"a value of type {type(key).__name__} cannot be a key")


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NoJsonForm("a lone surrogate is no text") from None
    return str.__str__(value)


def _same(value: Any) -> Any:
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise NoJsonForm(f"JSON has no {float(value)!r}")
    return float(value)


def _decimal(value: Decimal) -> int | float | str:
    if not value.is_finite():
        raise NoJsonForm(f"JSON has no {value}")
    if value.adjusted() >= _DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else str(value)


def _moment(value: datetime.datetime) -> str:
    offset = value.utcoffset()
    if offset is not None and offset % datetime.timedelta(minutes=1):
        value = value.astimezone(datetime.timezone.utc)  # RFC 3339 has no seconds in an offset
    return value.isoformat()


def _duration(value: datetime.timedelta) -> str:
    """ISO 8601, in days, hours, minutes and seconds."""
    sign, value = ("-", -value) if value < datetime.timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    parts = ((value.seconds // 3600, "H"), (minutes % 60, "M"))
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    if seconds or fraction:
        time += f"{seconds}{fraction}S"
    days = f"{value.days}D" if value.days or not time else ""
    return f"{sign}P{days}{'T' if time else ''}{time}"


_JSON: dict[type[Any], Callable[[Any], Any]] = {
    str: _text,
    int: _same,
    float: _finite,
    bool: _same,
    type(None): _same,
}


def _known_text(value: Any) -> str | None:
    """The text of what pydantic writes as a string: UUIDs, URLs, IP addresses, …"""
    try:
        text = to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return None
    return text if isinstance(text, str) else None


__all__ = [
    "BEYOND_STACK",
    "Attributes",
    "NoJsonForm",
    "NoJsonType",
    "attributes",
    "fields_of",
    "members_of",
    "own_form",
    "pointer",
    "to_json_form",
    "written",
]
