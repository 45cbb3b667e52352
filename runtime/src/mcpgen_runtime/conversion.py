"""Convert Python values to JSON."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import math
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from numbers import Integral, Rational, Real
from pathlib import PurePath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from .errors import BEYOND_STACK, NoJsonForm, NoJsonType, get_json_value
from .exact_types import walk_schemas
from .json_types import Spelled, write_native
from .json_values import check_integer, read_items, write_decimal, write_number
from .user_objects import (
    OpenDecimal,
    OpenObject,
    attributes,
    has_aliases,
    has_decimals,
    is_written_by_pydantic,
    list_iterators,
    reopen_decimals,
    write_as_configured,
    write_by_alias,
)

if TYPE_CHECKING:
    from .json_types import JsonValue


_ABSENT: Any = object()


class _Enclosing(set[int]):
    """The ids of the values around a value."""

    is_open = False
    """Whether decimals become `OpenDecimal`, and objects `OpenObject`."""
    is_for_text = False
    """Whether an object without data becomes its `str()`."""


class _OpenEnclosing(_Enclosing):
    is_open = True


class _TextEnclosing(_Enclosing):
    is_for_text = True


class Attributes(dict[str, Any]):
    """Attributes of an object as a JSON object, under their Python names."""

    other: Attributes | None = None
    """Another form of a model, without aliases. The schema decides between them."""
    source: OpenObject | None = None
    """The object, whose class may compute further attributes."""


def to_json_form(value: object) -> JsonValue:
    """Convert a Python value to a JSON value that shares no container with it.

    - str, bool, None, int and finite floats: unchanged; an Enum: its value.
    - Decimal: an integer if it is one, else the float that reads back as the same decimal, else its text.
    - datetime, date, time: RFC 3339 (without an offset if it has none); timedelta: ISO 8601; bytes: base64; UUID, path,
      URL, IP address: their text.
    - Generated classes by `to_structured_content()`, pydantic's models and dataclasses in pydantic's JSON mode.
    - Other dataclasses, classes of attrs and msgspec, and objects with attributes: an object of their fields or public
      attributes.
    - Mappings: an object; keys that are not strings become text as in `json.dumps`.
    - Lists, tuples, sets, generators and other iterables: an array.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot hold.
        NoJsonType: a TypeError as well, if an object has no JSON form at all.
    """
    return cast("JsonValue", _convert_all(value, _Enclosing()))


def to_open_form(value: object) -> Any:
    """Do the same, but leave to the schema what decimals and objects become: `OpenDecimal` and `OpenObject`."""
    return _convert_all(value, _OpenEnclosing())


def to_text_form(value: object) -> JsonValue:
    """Do the same as `to_json_form`, but an object without data becomes its `str()`.

    So does an object with attributes whose class defines `__str__`. Functions, classes and coroutines are errors.
    """
    return cast("JsonValue", _convert_all(value, _TextEnclosing()))


def _convert_all(value: object, enclosing: _Enclosing) -> Any:
    try:
        return _convert(value, enclosing)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None


def _convert(value: object, enclosing: _Enclosing) -> Any:
    convert = _SCALAR_CONVERTERS.get(type(value))  # most values are of JSON's own types
    if convert is not None:
        return convert(value)
    match value:
        case None | bool():
            return value
        case Enum():
            return _convert(value.value, enclosing)
        case str():
            return _check_text(value)
        case float():
            return _check_finite(value)
        case int():
            return check_integer(int(value))
        case Decimal():
            return OpenDecimal(value) if enclosing.is_open else write_decimal(value)
        case Spelled() | datetime.date() | datetime.time():
            return write_native(value)
        case datetime.timedelta():
            return _format_duration(value)
        case PurePath():
            return _check_text(str(value))
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(cast(bytes, value)).decode()
        case Real() if not isinstance(value, Rational) or isinstance(value, Integral):
            return write_number(value)
        case _:
            return _convert_composite(value, enclosing)


def _convert_composite(value: Any, enclosing: _Enclosing) -> Any:
    """Convert a value that may contain others; `enclosing` are the ids of the values around it."""
    if id(value) in enclosing:
        raise NoJsonForm("refers back to what it is inside of")
    enclosing.add(id(value))
    cls = cast(Any, type(value))  # checks use the class, so that the value stays an Any for type checkers
    try:
        match _classify(cls):
            case "array":
                return _convert_array(value, enclosing)
            case "mapping":
                form = _convert_mapping(value, enclosing)
                return Attributes(form) if issubclass(cls, Attributes) else form
            case "model":
                if hasattr(cls, "to_structured_content"):
                    return _convert(get_json_value(value), enclosing)
                return _convert_model(value, enclosing)
            case "fields" if is_written_by_pydantic(cls):
                return _convert_model(value, enclosing)
            case "fields":
                return _convert_fields(value, enclosing)
            case "code":
                raise NoJsonType(f"a value of type {cls.__name__} is not data")
            case "other":
                return _convert_other(value, enclosing)
    finally:
        enclosing.discard(id(value))


def is_array(value: object) -> bool:
    """Return whether a value is an iterable that becomes an array."""
    kind = _classify(cast(Any, type(value)))
    return kind == "array" or (kind == "other" and isinstance(value, Iterable))


@lru_cache(512)
def _classify(cls: Any) -> Literal["array", "mapping", "fields", "model", "code", "other"]:
    if issubclass(cls, type) or any("__call__" in base.__dict__ for base in cls.__mro__):
        return "code"
    if is_written_by_pydantic(cls):
        return "fields" if _is_plain_model(cls) else "model"
    if dataclasses.is_dataclass(cls) or any(hasattr(cls, name) for name in _FIELD_LISTS):
        return "fields"
    if issubclass(cls, Mapping):
        return "mapping"
    return "array" if issubclass(cls, list | tuple | set | frozenset | Iterator) else "other"


def _is_plain_model(model: Any) -> bool:
    """Return whether a model's dump is just its fields: no serializers, exclusions, computed or undeclared fields."""
    if hasattr(model, "to_structured_content"):
        return False
    if issubclass(model, BaseModel) and (
        issubclass(model, RootModel)
        or model.model_dump is not BaseModel.model_dump
        or model.model_config.get("extra") == "allow"
    ):
        return False
    return not any(map(_is_serialized, walk_schemas(model.__pydantic_core_schema__)))


def _is_serialized(members: dict[str, Any]) -> bool:
    return (
        not _SERIALIZER_MEMBERS.isdisjoint(members)
        or members.get("type") == "missing-sentinel"
        or bool(members.get("computed_fields"))
    )


_SERIALIZER_MEMBERS = frozenset({"serialization", "serialization_exclude", "serialization_exclude_if"})


@lru_cache(512)
def map_fields(cls: Any) -> dict[str, str] | None:
    """Map the attributes of a class with fields, which may be a plain pydantic model, to names; None for others."""
    if _classify(cls) != "fields":
        return None
    if is_written_by_pydantic(cls):
        fields: dict[str, FieldInfo] = cls.__pydantic_fields__
        return {name: field.serialization_alias or name for name, field in fields.items()}
    names = [getattr(field, "name", field) for field in _list_fields(cls)]
    return {name: name for name in names if not name.startswith("_")}


_FIELD_LISTS = ("__attrs_attrs__", "__struct_fields__")
"""Attributes in which attrs and msgspec list the fields of a class."""


def _list_fields(cls: Any) -> Iterable[Any]:
    if dataclasses.is_dataclass(cls):
        return dataclasses.fields(cls)
    return next(getattr(cls, name) for name in _FIELD_LISTS if hasattr(cls, name))


def get_members(value: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the attributes of a value under other names."""
    values = {name: getattr(value, attribute, _ABSENT) for attribute, name in names.items()}
    return {name: item for name, item in values.items() if item is not _ABSENT}


def _convert_other(value: Any, enclosing: _Enclosing) -> Any:
    if (text := _find_text(value)) is not None:
        return _check_text(text)
    if isinstance(value, Iterable):
        return _convert_array(cast(Any, value), enclosing)
    if enclosing.is_open and not isinstance(value, SimpleNamespace):
        return _leave_open(value, enclosing)
    public, cls = attributes(value), cast(Any, type(value))
    has_text = not public or cls.__str__ is not object.__str__
    if enclosing.is_for_text and has_text and not issubclass(cls, Awaitable | AsyncIterable):
        return _check_text(str(value))
    if not public:
        raise NoJsonType.of_class(cls.__name__)
    return _convert_attributes(public, enclosing)


def _convert_fields(value: Any, enclosing: _Enclosing) -> Attributes:
    names = map_fields(cast(Any, type(value))) or {}
    form = _convert_attributes(get_members(value, names), enclosing)
    if enclosing.is_open:
        form.source = _leave_open(value, enclosing)
    return form


def _leave_open(value: Any, enclosing: _Enclosing) -> OpenObject:
    around = frozenset(enclosing)
    return OpenObject(value, lambda item: _convert(item, _OpenEnclosing(around)))


def _convert_model(value: Any, enclosing: _Enclosing) -> Any:
    """Convert a pydantic model or a pydantic dataclass to what pydantic writes; there may be two such forms."""

    inner_kind = _Enclosing if enclosing.is_open else type(enclosing)
    converted: dict[int, tuple[object, Any]] = {}  # once, by ids of the values, which are kept meanwhile

    def convert(inner: object) -> Any:
        if id(inner) not in converted:
            converted[id(inner)] = inner, _convert(inner, inner_kind(enclosing))
        return converted[id(inner)][1]

    def finish(dumped: Any) -> Any:
        form = _convert(_mark_attributes(dumped), enclosing)
        return reopen_decimals(form, value) if is_open else form

    cls = cast(Any, type(value))
    value = list_iterators(value, frozenset())
    is_open = enclosing.is_open and has_decimals(cls)
    form = finish(write_by_alias(value, convert))
    if isinstance(form, Attributes) and has_aliases(cls):
        form.other = finish(write_as_configured(value, convert))
    return form


def _mark_attributes(dumped: Any) -> Any:
    """Mark the objects in a model's dump as attributes."""
    if isinstance(dumped, dict):
        return Attributes((key, _mark_attributes(item)) for key, item in cast(dict[str, Any], dumped).items())
    if isinstance(dumped, list | tuple):
        return [_mark_attributes(item) for item in cast(list[Any], dumped)]
    return dumped


def _convert_array(items: Iterable[Any], enclosing: _Enclosing) -> list[Any]:
    out: list[Any] = []
    try:
        for item in items if isinstance(items, list | tuple) else read_items(items):
            out.append(_convert(item, enclosing))
    except NoJsonForm as error:
        error.inside(len(out))
        raise
    return out


def _convert_attributes(values: Mapping[str, Any], enclosing: _Enclosing) -> Attributes:
    """Convert attributes, whose names are strings."""
    out, name = Attributes(), ""
    try:
        for name, item in values.items():
            out[name] = _convert(item, enclosing)
    except NoJsonForm as error:
        error.inside(name)
        raise
    return out


def _convert_mapping(mapping: Mapping[Any, Any], enclosing: _Enclosing) -> dict[str, Any]:
    out: dict[str, Any] = {}
    members = mapping.items()
    for key, item in members if type(mapping) is dict else read_items(members):
        name = _convert_key(key, enclosing)
        if name in out:
            error = NoJsonForm("two keys are the same in JSON")
            error.inside(name)
            raise error
        try:
            out[name] = _convert(item, enclosing)
        except NoJsonForm as error:
            error.inside(name)
            raise
    return out


def _convert_key(key: Any, enclosing: _Enclosing) -> str:
    if type(key) is str and key.isascii():
        return key
    form = _convert(key, _TextEnclosing() if enclosing.is_for_text else _Enclosing())
    if isinstance(form, str):
        return form
    if form is None or isinstance(form, bool):
        return {None: "null", True: "true", False: "false"}[form]
    if isinstance(form, int | float):
        return repr(form)
    if enclosing.is_for_text:
        return _check_text(str(key))
    raise NoJsonType(f"a value of type {type(key).__name__} cannot be a key")


def _check_text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NoJsonForm("a lone surrogate is not text") from None
    return str.__str__(value)


def _keep(value: bool | None) -> bool | None:
    return value


def _check_finite(value: float) -> float:
    if not math.isfinite(value):
        raise NoJsonForm(f"JSON has no {float(value)!r}")
    return float(value)


def _format_duration(value: datetime.timedelta) -> str:
    """Return the ISO 8601 form, in days, hours, minutes and seconds."""
    sign, value = ("-", -value) if value < datetime.timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    parts = ((value.seconds // 3600, "H"), (minutes % 60, "M"))
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    if seconds or fraction:
        time += f"{seconds}{fraction}S"
    days = f"{value.days}D" if value.days or not time else ""
    return f"{sign}P{days}{'T' if time else ''}{time}"


_SCALAR_CONVERTERS: dict[type[Any], Callable[[Any], Any]] = {
    str: _check_text,
    int: check_integer,
    float: _check_finite,
    bool: _keep,
    type(None): _keep,
}


def _find_text(value: Any) -> str | None:
    """Return the text of a value that pydantic writes as a string: UUIDs, URLs, IP addresses, …"""
    try:
        text = to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return None
    return text if isinstance(text, str) else None
