"""What a handler returned, on its way to a result: results in a mapping, wrappers, attributes as properties."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import TypeAliasType

from .base import JsonObject
from .blocks import own_block
from .jsonable import Attributes, to_json_form
from .protocol import CallToolResult

_RESULT = frozenset({"content", "structuredContent", "isError"})
_AROUND = frozenset({"_meta", "meta", "resultType"})


def says_result(value: object) -> bool:
    """Whether a mapping is a CallToolResult on the wire: some of its members, and nothing else."""
    held = _mapping(value)
    if held is None or _RESULT.isdisjoint(held) or held.keys() - _RESULT - _AROUND:
        return False
    try:
        _wire_result(held)
    except (ValueError, TypeError):
        return False
    return True


def result_of(value: object, version: str) -> CallToolResult:
    """The CallToolResult that such a mapping is, with the `resultType` that the protocol version asks for.

    Raises:
        pydantic.ValidationError: it is none.
    """
    told = {"resultType": "complete"} if version >= "2026-07-28" else {}
    return _wire_result({**told, **(_mapping(value) or {})})


def _mapping(value: object) -> Mapping[str, Any] | None:
    return cast(Any, value) if type(value) is dict or isinstance(value, Mapping) else None


def _wire_result(value: Mapping[str, Any]) -> CallToolResult:
    wire: dict[str, Any] = {"content": []}
    for key, item in value.items():
        wire["_meta" if key == "meta" else key] = item
    wire["content"] = [own_block(block) or block for block in wire["content"]]
    return CallToolResult.model_validate(wire)


def in_wrapper(value: object, cls: type[BaseModel]) -> Any:
    """The object `{"result": value}` of a bare inner value; what is that object already stays."""
    held = _mapping(value)
    if held is not None and "result" in held and (len(held) == 1 or not _holds_objects(cls)):
        return value
    if isinstance(value, JsonObject) and "result" in type(value).model_fields:
        return value
    return {"result": value}


@cache
def _holds_objects(cls: type[BaseModel]) -> bool:
    """Whether the inner value of a class for `{"result": …}` may be an object."""
    inner = shape_of(cast(type[JsonObject], cls)).kinds["result"]
    return any(
        kind is Any or get_origin(kind) is dict or kind in _classes(inner)[0] for kind in inner
    )


# --- attributes ------------------------------------------------------------------------------------------------------
def wire_form(value: object, cls: type[BaseModel], bare: bool = False) -> Any:
    """The JSON value of a handler's value, as a result class has it on the wire.

    Attributes are properties, by their Python or their wire name; None is absence where the property may be absent
    and is never null. Mappings are JSON objects already. `bare`: it may be the inner value of the declared
    `{"result": …}`, and stays that.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot hold.
    """
    form = to_json_form(value)
    if not issubclass(cls, JsonObject):
        return _settled(form, kinds_of(cls.model_fields["root"].annotation))
    if bare and in_wrapper(form, cls) is not form:
        return _settled(form, shape_of(cls).kinds["result"])
    return _settled(form, (cls,))


@dataclass(frozen=True)
class Shape:
    """A class's properties: Python name → wire name, those that are never null, constants, the kinds of each."""

    wires: dict[str, str]
    never_null: frozenset[str]
    constants: dict[str, tuple[object, ...]]
    kinds: dict[str, tuple[Any, ...]]
    extra: tuple[Any, ...]
    """The kinds of undeclared properties."""

    def wire_of(self, name: str, beside: Container[str]) -> str:
        """The wire name of an attribute: by its Python name, unless there is another one that has the wire name."""
        wire = self.wires.get(name, name)
        return name if wire in beside else wire

    def knows(self, value: Mapping[str, Any]) -> int:
        """How many of an object's members are properties here; -1 when a constant speaks against it."""
        for wire, allowed in self.constants.items():
            if wire in value and value[wire] not in allowed:
                return -1
        return sum(key in self.wires or key in self.kinds for key in value)


@cache
def shape_of(cls: type[JsonObject]) -> Shape:
    """What is known of a class, once it is whole."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    fields = {field.alias or name: field for name, field in cls.model_fields.items()}
    return Shape(
        {name: field.alias or name for name, field in cls.model_fields.items()},
        frozenset(wire for wire, field in fields.items() if field.exclude_if is not None),
        {
            wire: get_args(field.annotation)
            for wire, field in fields.items()
            if get_origin(field.annotation) is Literal
        },
        {wire: kinds_of(field.annotation) for wire, field in fields.items()},
        values_of(kinds_of(_extra(cls))),
    )


def _extra(cls: type[JsonObject]) -> Any:
    """The annotation of a class's undeclared properties, None where it has none."""
    for one in cls.__mro__:
        text = one.__dict__.get("__annotations__", {}).get("__pydantic_extra__")
        if text is not None and issubclass(one, JsonObject):
            return _meant(text, one.__module__)
    return None


def _meant(annotation: Any, module: str) -> Any:
    """What an annotation says that may be a string."""
    if not isinstance(annotation, str):
        return annotation
    held = type("_", (), {"__annotations__": {"it": annotation}})
    return get_type_hints(held, vars(sys.modules[module]), include_extras=True)["it"]


def kinds_of(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of an annotation: what unions, aliases and `Annotated` hold."""
    found, todo, opened = list[Any](), [annotation], list[Any]()
    for one in todo:  # grows on the way
        if isinstance(one, TypeAliasType):
            if all(one is not other for other in opened):
                opened.append(one)
                todo.append(_meant(one.__value__, str(one.__module__)))
        elif get_origin(one) is Annotated:
            todo.append(get_args(one)[0])
        elif get_origin(one) in (Union, UnionType):
            todo.extend(get_args(one))
        else:
            found.append(one)
    return _distinct(found)


def _distinct(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Each kind once: what recursive arrays may hold would otherwise be listed more often on every level."""
    return tuple(dict.fromkeys(kinds))


@cache
def _arrays(kinds: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """What any item of an array may be, and the items of each tuple."""
    every = [get_args(kind)[0] for kind in kinds if get_origin(kind) is list]
    fixed = [get_args(kind) for kind in kinds if get_origin(kind) is tuple]
    return _distinct(found for one in every for found in kinds_of(one)), fixed


def items_of(kinds: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
    """The kinds of each item of an array."""
    same, fixed = _arrays(kinds)
    if not fixed:
        return [same] * count
    own = [[kinds_of(one[index]) for one in fixed if index < len(one)] for index in range(count)]
    return [_distinct((*same, *(found for kinds in held for found in kinds))) for held in own]


@cache
def values_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """The kinds of the values of a map."""
    held = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
    return _distinct(found for one in held for found in kinds_of(one))


def class_of(held: Mapping[str, Any], kinds: tuple[Any, ...]) -> type[JsonObject] | None:
    """The class that an object's members speak for most, None where it may as well be something else."""
    classes, others = _classes(kinds)
    if not others:
        return classes[0] if classes else None
    cls = max(classes, key=lambda one: shape_of(one).knows(held), default=None)
    return None if cls is None or shape_of(cls).knows(held) < 1 else cls


@cache
def _classes(kinds: tuple[Any, ...]) -> tuple[list[type[JsonObject]], bool]:
    """The classes among some kinds, and whether an object may also be something else than the first of them."""
    classes: list[type[JsonObject]] = [
        kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)
    ]
    return classes, len(classes) > 1 or any(get_origin(kind) is dict for kind in kinds)


def _settled(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_settled(item, inner[index]) for index, item in enumerate(items)]
    if not isinstance(value, dict):
        return value
    held = cast(dict[str, Any], value)
    cls = class_of(held, kinds)
    if cls is None:
        within = values_of(kinds)
        return {key: _settled(item, within) for key, item in held.items()}
    shape, out = shape_of(cls), dict[str, Any]()
    named = isinstance(value, Attributes)
    for key, item in held.items():
        wire = key
        if named:
            wire = shape.wire_of(key, held)
            if item is None and wire in shape.never_null:
                continue
        if isinstance(item, dict | list):
            item = _settled(item, shape.kinds.get(wire, shape.extra))
        out[wire] = item
    return out


__all__ = [
    "class_of",
    "in_wrapper",
    "items_of",
    "kinds_of",
    "result_of",
    "says_result",
    "shape_of",
    "values_of",
    "wire_form",
]
