"""Convert Python values to JSON."""

from __future__ import annotations

import base64
import copy
import dataclasses
import datetime
import inspect
import math
from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache
from numbers import Integral, Rational, Real
from operator import is_
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from .core_schemas import walk_schemas
from .errors import BEYOND_STACK, NoJsonForm, NoJsonType, get_json_value
from .json_types import Spelled, write_native
from .json_values import IteratorFailed, check_integer, read_items, write_decimal, write_number

if TYPE_CHECKING:
    from .json_types import JsonValue


_ABSENT: Any = object()
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


class OpenObject:
    """An object of which the schema decides which attributes are properties."""

    def __init__(self, value: object, convert: Callable[[object], Any]) -> None:
        """Hold an object; `convert` converts the value of an attribute to JSON."""
        self._value, self._convert = value, convert

    @property
    def class_name(self) -> str:
        """The name of the object's class."""
        return type(self._value).__name__

    def list_public(self) -> list[str]:
        """Return the names of the public attributes."""
        return [*attributes(self._value)]

    def read(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the attributes of some names that the object or its class has; methods don't count.

        Raises:
            NoJsonForm: an attribute cannot be read.
        """
        values = {name: self._read(name) for name in names}
        return {name: item for name, item in values.items() if item is not _ABSENT}

    def read_computed(self, names: Iterable[str]) -> dict[str, Any]:
        """Return only those that a property of the class computes."""
        return self.read(name for name in names if is_computed(type(self._value), name))

    def convert(self, name: str, item: object) -> Any:
        """Convert the value of an attribute to JSON, which has this name; an object in it stays open.

        Raises:
            NoJsonForm: it has no JSON form; the place begins with the name.
        """
        try:
            return self._convert(item)
        except NoJsonForm as error:
            error.inside(name)
            raise

    def _read(self, name: str) -> Any:
        try:
            item = getattr(self._value, name, _ABSENT)
        except Exception as error:  # a property of the user's may raise anything
            problem = NoJsonForm(f"cannot be read from the object ({type(error).__name__})")
            problem.inside(name)
            raise problem from error
        return _ABSENT if isinstance(item, _FUNCTIONS) else item


def is_computed(cls: type[Any], name: str) -> bool:
    """Return whether a property of a class computes the attribute of this name."""
    return isinstance(inspect.getattr_static(cls, name, None), property | cached_property)


def attributes(value: object) -> dict[str, Any]:
    """Return the public attributes of an object, from `__dict__` and `__slots__`."""
    slots = [name for cls in reversed(type(value).__mro__) for name in _get_slots(cls)]
    values = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    values.update(getattr(value, "__dict__", {}))
    return {name: item for name, item in values.items() if not name.startswith("_")}


def _get_slots(cls: type[Any]) -> Iterable[str]:
    slots: Any = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else cast(Iterable[str], slots)


Convert: TypeAlias = Callable[[Any], Any]
"""Converts a value that pydantic cannot write."""


def write_by_alias(value: Any, convert: Convert) -> Any:
    """Return a model's JSON, with the aliases of its fields.

    Raises:
        NoJsonForm: pydantic cannot write it.
    """
    return _write(value, True, convert)


def write_as_configured(value: Any, convert: Convert) -> Any:
    """Return a model's JSON, with aliases only where the model's `serialize_by_alias` says so.

    Raises:
        NoJsonForm: pydantic cannot write it.
    """
    return _write(value, None, convert)


def is_written_by_pydantic(cls: Any) -> bool:
    """Return whether a class is a pydantic model or a pydantic dataclass."""
    return issubclass(cls, BaseModel) or hasattr(cls, "__pydantic_serializer__")


def list_iterators(value: Any, around: frozenset[int]) -> Any:
    """Return a model with lists instead of iterators, which pydantic would consume: it is written more than once.

    Args:
        value: the model, or a value in it; copied if there are iterators in it.
        around: the ids of the values around it.
    """
    cls = cast(Any, type(value))
    if issubclass(cls, Iterator):
        return [list_iterators(item, around) for item in read_items(cast(Iterator[Any], value))]
    is_model = is_written_by_pydantic(cls)
    if id(value) in around or not (is_model or cls in (list, tuple, dict)):
        return value
    around |= {id(value)}
    if cls in (list, tuple):
        items = [list_iterators(item, around) for item in cast(Iterable[Any], value)]
        return value if all(map(is_, items, cast(Iterable[Any], value))) else cast(Any, cls)(items)
    members = cast(dict[Any, Any], vars(value) if is_model else value)
    listed = {key: list_iterators(item, around) for key, item in members.items()}
    extras = cast(dict[str, Any], getattr(value, "__pydantic_extra__", None) or {})
    listed_extras = {key: list_iterators(item, around) for key, item in extras.items()}
    parts = ((listed, members), (listed_extras, extras))
    if all(new[key] is item for new, old in parts for key, item in old.items()):
        return value
    if not is_model:
        return listed
    copied: Any = copy.copy(value)
    cast(dict[str, Any], vars(copied)).update(listed)
    if extras:
        copied.__pydantic_extra__.update(listed_extras)
    return copied


def _write(value: Any, by_alias: bool | None, convert: Convert) -> Any:
    cls = cast(Any, type(value))
    try:
        if getattr(cls, "model_dump", BaseModel.model_dump) is not BaseModel.model_dump:
            return value.model_dump(mode="json", by_alias=by_alias)
        return cls.__pydantic_serializer__.to_python(
            value, mode="json", by_alias=by_alias, warnings=False, fallback=convert
        )
    except (NoJsonForm, IteratorFailed, RecursionError):
        raise
    except Exception as error:  # a serializer may raise anything, with the value in its text
        why = type(error).__name__
        problem = NoJsonForm(f"pydantic cannot write the {cls.__name__} as JSON ({why})")
        if (name := _find_failing_field(value, convert)) is not None:
            problem.inside(name)
        raise problem from error


def _find_failing_field(value: Any, convert: Convert) -> str | None:
    """Return the first field that pydantic cannot write."""
    cls = cast(Any, type(value))
    fields: Iterable[str] = getattr(cls, "__pydantic_fields__", ())
    for name in fields:
        try:
            cls.__pydantic_serializer__.to_python(value, mode="json", include={name}, warnings=False, fallback=convert)
        except Exception:  # as above
            return name
    return None


@lru_cache(512)
def has_aliases(cls: Any) -> bool:
    """Return whether a class, or one inside it, has fields with aliases."""
    return any("serialization_alias" in part for part in walk_schemas(cls.__pydantic_core_schema__))


@lru_cache(512)
def has_decimals(cls: Any) -> bool:
    """Return whether a class, or one inside it, has decimals, which pydantic writes as text."""
    return any(part.get("type") == "decimal" for part in walk_schemas(cls.__pydantic_core_schema__))


# --- decimals --------------------------------------------------------------------------------------------------------
class OpenDecimal:
    """A decimal of which the schema decides whether it is a number or a string."""

    __slots__ = ("_default", "_number", "_text")

    def __init__(self, value: Decimal, default: str | None = None) -> None:
        """Hold a decimal; `default` is its form where the schema takes both, None for the number."""
        self._number, self._text = write_decimal(value), str(value)
        self._default = self._number if default is None else default

    def choose(self, takes_numbers: bool, takes_text: bool) -> int | float | str:
        """Return the form that a schema takes; the usual one if it takes both or neither."""
        if takes_numbers == takes_text:
            return self._default
        return self._number if takes_numbers else self._text


def reopen_decimals(form: Any, value: Any) -> Any:
    """Replace the texts that pydantic wrote for decimals, in place.

    Args:
        form: the JSON that pydantic wrote.
        value: the value that it wrote.
    """
    if isinstance(value, RootModel):
        return reopen_decimals(form, cast(Any, value).root)
    if isinstance(form, str):
        is_text = isinstance(value, Decimal) and value.is_finite() and form == str(value)
        return OpenDecimal(value, form) if is_text else form
    if isinstance(form, dict):
        members = cast(dict[str, Any], form)
        for key, item in members.items():
            if isinstance(item, str | dict | list):
                members[key] = reopen_decimals(item, _get_member(value, key))
    elif isinstance(form, list) and isinstance(value, Collection):
        items, others = cast(list[object], form), cast(Collection[object], value)
        if len(items) == len(others):
            items[:] = map(reopen_decimals, items, others)
    return cast(Any, form)


def _get_member(value: Any, key: str) -> Any:
    """Return what pydantic wrote under a key; None if that is not known."""
    if isinstance(value, Mapping):
        return cast(Mapping[object, Any], value).get(key)
    return getattr(value, _map_attributes(cast(Any, type(value))).get(key, key), None)


@lru_cache(512)
def _map_attributes(cls: Any) -> dict[str, str]:
    """Map the aliases of a class's fields and computed fields to their names."""
    fields: dict[str, FieldInfo] = getattr(cls, "__pydantic_fields__", {})
    aliases = {name: field.serialization_alias for name, field in fields.items()}
    if (decorators := getattr(cls, "__pydantic_decorators__", None)) is not None:
        computed: dict[str, Any] = decorators.computed_fields
        aliases |= {name: decorator.info.alias for name, decorator in computed.items()}
    return {alias: name for name, alias in aliases.items() if alias is not None}


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
