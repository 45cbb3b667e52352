"""Convert what clients send as the SDKs' own decorators do: "5" for 5, and objects and arrays as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from .handler_values import choose_class, items_of, shape_of, values_of
from .json_objects import JsonObject

_SCALARS: tuple[type[Any], ...] = (int, float, bool)


def coerce_arguments(
    sent: Mapping[str, Any], arguments: type[BaseModel], parses_text: bool
) -> dict[str, Any]:
    """Return a client's arguments with the types of the tool's arguments, where a conversion gives them.

    Args:
        sent: the arguments by their wire names.
        arguments: the class of the tool's arguments.
        parses_text: whether JSON text stands for the value in it, as clients send it that cannot do better.
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
        out[wire] = _coerce(value, kinds)
    return out


def _parse_text(value: Any) -> Any:
    """Return the object, the array or the null that a text is; a text that is another value stays."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(parsed, str | int | float) else parsed


def _coerce(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_coerce(item, inner[index]) for index, item in enumerate(items)]
    if isinstance(value, dict):
        return _coerce_members(cast(dict[str, Any], value), kinds)
    if any(_holds(kind, value) for kind in kinds):
        return value
    for kind in kinds:
        if kind in _SCALARS:
            try:
                return _get_adapter(kind).validate_python(value)
            except ValidationError:
                continue
    return value


def _coerce_members(members: dict[str, Any], kinds: tuple[Any, ...]) -> dict[str, Any]:
    if (cls := choose_class(members, kinds)) is None:
        value_kinds = values_of(kinds)
        return {key: _coerce(item, value_kinds) for key, item in members.items()}
    shape = shape_of(cls)
    return {key: _coerce(item, shape.kinds.get(key, shape.extra)) for key, item in members.items()}


def _holds(kind: Any, value: Any) -> bool:
    """Return whether a scalar is of a kind as it is."""
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


__all__ = ["coerce_arguments"]
