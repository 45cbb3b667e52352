"""Conversion of frozen dataclasses to JSON and back. Decoding is strict: every value must have its declared type."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Hashable
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast

from mcpgen.schema.values import Json

T = TypeVar("T")
ValueReader = Callable[[Json], Any]
_SCALARS = frozenset((str, int, float, bool, type(None)))


@dataclasses.dataclass(frozen=True)
class _JsonHint:
    value: Json


_JSON = typing.get_type_hints(_JsonHint)["value"]
"""What `Json` in the annotations of a dataclass is resolved to."""


class MalformedValue(ValueError):
    """A JSON value does not encode a value of the requested type."""


def encode_value(value: object) -> Json:
    """Encode a dataclass as `[class name, *fields]`, a tuple as an array, a set as a sorted one, an Enum as its value.

    Lists and dictionaries must be JSON already.

    Raises:
        TypeError: the value is of another type.
    """
    if type(value) in _SCALARS:
        return cast(Json, value)
    match value:
        case Enum():
            return cast(Json, value.value)
        case tuple():
            return [encode_value(item) for item in cast("tuple[object, ...]", value)]
        case dict() | list():
            return cast(Json, value)
        case frozenset():
            return [*sorted(cast("frozenset[str]", value))]
        case _ if dataclasses.is_dataclass(value):
            record_type = cast("type[object]", type(value))
            names = _list_field_names(cast("Hashable", record_type))
            return [record_type.__name__, *(encode_value(getattr(value, name)) for name in names)]
        case _:
            raise TypeError(f"{type(value).__name__} has no form in JSON")


def decode_value(kind: type[T], value: Json) -> T:
    """Decode what `encode_value` returns for a value of the dataclass `kind`.

    Raises:
        MalformedValue: the JSON value has another form.
    """
    reader: ValueReader = _make_reader(cast("Hashable", kind))
    decoded: T = reader(value)
    return decoded


@cache
def _list_field_names(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cast(Any, kind)))


@cache
def _make_reader(hint: Hashable) -> ValueReader:
    """Return the function that decodes values of an annotated type."""
    if hint == _JSON:
        return lambda value: value
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return _make_sequence_reader(arguments[0]) if arguments[1:] == (...,) else _make_tuple_reader(arguments)
    if origin is frozenset:
        read_items = _make_sequence_reader(arguments[0])
        return lambda value: frozenset(read_items(value))
    if origin is dict:
        return _make_dictionary_reader(arguments[1])
    if origin is typing.Literal:
        return _make_literal_reader(arguments)
    if origin in (types.UnionType, typing.Union):
        return _make_union_reader(arguments)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _make_enum_reader(hint)
    if dataclasses.is_dataclass(cast(Any, hint)):
        return _make_dataclass_reader(cast(type, hint))
    return _make_scalar_reader(cast(type, hint))


def _make_scalar_reader(hint: type) -> ValueReader:
    def read(value: Json) -> Any:
        if type(value) is not hint:  # `True` must not pass for an integer
            raise MalformedValue(f"{value!r} is no {hint.__name__}")
        return value

    return read


def _make_enum_reader(hint: type[Enum]) -> ValueReader:
    def read(value: Json) -> Any:
        try:
            return hint(value)
        except ValueError as error:
            raise MalformedValue(str(error)) from None

    return read


def _make_sequence_reader(hint: Any) -> ValueReader:
    def read(value: Json) -> Any:
        if not isinstance(value, list):
            raise MalformedValue("no array")
        read_item = _make_reader(hint)
        return tuple(read_item(item) for item in value)

    return read


def _make_tuple_reader(hints: tuple[Any, ...]) -> ValueReader:
    def read(value: Json) -> Any:
        if not isinstance(value, list) or len(value) != len(hints):
            raise MalformedValue("no array of that length")
        return tuple(_make_reader(hint)(item) for hint, item in zip(hints, value, strict=True))

    return read


def _make_dictionary_reader(hint: Any) -> ValueReader:
    def read(value: Json) -> Any:
        if not isinstance(value, dict):
            raise MalformedValue("no object")
        read_item = _make_reader(hint)
        return {key: read_item(item) for key, item in value.items()}

    return read


def _make_literal_reader(values: tuple[Any, ...]) -> ValueReader:
    def read(value: Json) -> Any:
        if not isinstance(value, str) or value not in values:
            raise MalformedValue(f"{value!r} is none of {values}")
        return value

    return read


def _make_union_reader(hints: tuple[Any, ...]) -> ValueReader:
    """Return the function for a union: it chooses a dataclass by its name, any other member by the value's type."""
    records = {cast(type, hint).__name__: cast("Hashable", hint) for hint in hints if dataclasses.is_dataclass(hint)}
    scalars = [hint for hint in hints if not dataclasses.is_dataclass(hint)]

    def read(value: Json) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], str) and value[0] in records:
            return _make_reader(records[value[0]])(value)
        if type(value) in scalars:
            return value
        raise MalformedValue(f"{value!r} is none of {hints}")

    return read


def _make_dataclass_reader(kind: type[Any]) -> ValueReader:
    names = _list_field_names(cast("Hashable", kind))
    readers: list[ValueReader] = []

    def read(value: Json) -> Any:
        if not readers:  # created at the first use, since types refer to each other
            hints = typing.get_type_hints(kind)
            readers.extend(_make_reader(hints[name]) for name in names)
        if not isinstance(value, list) or len(value) != len(readers) + 1 or value[0] != kind.__name__:
            raise MalformedValue(f"no {kind.__name__}")
        instance: object = object.__new__(kind)  # `__init__` of a frozen dataclass sets each field with a call
        attributes = instance.__dict__
        for name, read_field, item in zip(names, readers, value[1:], strict=True):
            attributes[name] = read_field(item)
        return instance

    return read
