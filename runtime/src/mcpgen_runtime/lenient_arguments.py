"""Convert arguments as the SDKs' own decorators do: "5" to 5, and JSON text to objects and arrays."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from .class_shapes import choose_class, items_of, shape_of, values_of
from .deep_values import is_deeper
from .models import JsonObject

_EXACT = 2**53
"""Floats do not hold all larger integers."""
_SCALARS: tuple[type[Any], ...] = (int, float, bool)


def coerce_arguments(
    sent: Mapping[str, Any], arguments: type[BaseModel], parses_text: bool, depth: int
) -> dict[str, Any]:
    """Convert a client's arguments to the types of the tool's arguments, if possible.

    Args:
        sent: the arguments by their wire names.
        arguments: the class of the tool's arguments.
        parses_text: whether to parse JSON text, which some clients send instead of the value.
        depth: the limit for levels of arrays and objects in a value; a deeper one is refused later.
    """
    if not issubclass(arguments, JsonObject):
        return dict(sent)
    shape = shape_of(arguments)
    out = dict[str, Any]()
    for wire, value in sent.items():
        kinds = shape.kinds.get(wire, ())
        if wire in shape.never_null:
            kinds = tuple(kind for kind in kinds if kind not in (None, NoneType))
        if parses_text and kinds and kinds != (str,):
            value = _parse_text(value)
        out[wire] = value if is_deeper(value, depth) else _coerce(value, kinds)
    return out


def _parse_text(value: Any) -> Any:
    """Parse a string that is a JSON object, an array or null; return any other string unchanged."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(parsed, str | int | float) else parsed


def _coerce(value: Any, kinds: tuple[Any, ...]) -> Any:
    """Convert a value and its parts, without recursion: parts may be nested as deeply as the limit allows."""
    todo: list[tuple[Any, tuple[Any, ...]]] = []

    def convert(part: Any, kinds: tuple[Any, ...]) -> Any:
        if not isinstance(part, list | dict):
            return _coerce_scalar(part, kinds)
        todo.append((copied := copy.copy(cast(Any, part)), kinds))
        return copied

    result = convert(value, kinds)
    while todo:
        container, kinds = todo.pop()
        if isinstance(container, list):
            items = cast(list[object], container)
            for index, kinds_of_item in enumerate(items_of(kinds, len(items))):
                items[index] = convert(items[index], kinds_of_item)
        else:
            find_kinds = _find_member_kinds(container, kinds)
            for key, item in container.items():
                container[key] = convert(item, find_kinds(key))
    return result


def _find_member_kinds(members: dict[str, Any], kinds: tuple[Any, ...]) -> Callable[[str], tuple[Any, ...]]:
    """Return a function for the kinds of an object's members."""
    if (cls := choose_class(members, kinds)) is None:
        value_kinds = values_of(kinds)
        return lambda _: value_kinds
    shape = shape_of(cls)
    return lambda key: shape.kinds.get(key, shape.extra)


def _coerce_scalar(value: Any, kinds: tuple[Any, ...]) -> Any:
    if any(_holds(kind, value) for kind in kinds):
        return value
    for kind in kinds:
        if kind in _SCALARS:
            try:
                number = _get_adapter(kind).validate_python(value)
                is_rounded = kind is float and abs(number) > _EXACT and number.is_integer()
                return _get_adapter(int).validate_python(value) if is_rounded else number
            except ValidationError:
                continue
    return value


def _holds(kind: Any, value: Any) -> bool:
    """Return whether a scalar already is of a kind."""
    if kind is Any:
        return True
    if kind in (None, NoneType):
        return value is None
    if get_origin(kind) is Literal:
        return any(type(value) is type(item) and value == item for item in get_args(kind))
    if kind is float:
        return type(value) in (int, float)
    return isinstance(kind, type) and type(value) is kind


@cache
def _get_adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
