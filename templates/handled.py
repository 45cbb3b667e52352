"""What a handler returned, on its way to a result: results in a mapping, wrappers, attributes as properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
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
    if held is None or not held.keys() & _RESULT or held.keys() - _RESULT - _AROUND:
        return False
    return _wire_result(held) is not None


def result_of(value: object, version: str) -> CallToolResult:
    """The CallToolResult that such a mapping is, with the `resultType` that the protocol version asks for."""
    held = _mapping(value)
    told = {"resultType": "complete"} if version >= "2026-07-28" else {}
    result = None if held is None else _wire_result({**told, **held})
    assert result is not None
    return result


def _mapping(value: object) -> Mapping[str, Any] | None:
    return cast(Any, value) if isinstance(value, Mapping) else None


def _wire_result(value: Mapping[str, Any]) -> CallToolResult | None:
    wire: dict[str, Any] = {"content": []}
    for key, item in value.items():
        wire["_meta" if key == "meta" else key] = item
    try:
        wire["content"] = [own_block(block) or block for block in wire["content"]]
        return CallToolResult.model_validate(wire)
    except (ValidationError, TypeError):
        return None


def in_wrapper(value: object) -> Any:
    """The object `{"result": value}` of a bare inner value; what is that object already stays."""
    held = _mapping(value)
    if held is not None and len(held) == 1 and "result" in held:
        return value
    if isinstance(value, JsonObject) and "result" in type(value).model_fields:
        return value
    return {"result": value}


# --- attributes ------------------------------------------------------------------------------------------------------
def wire_form(value: object, cls: type[BaseModel]) -> Any:
    """The JSON value of a handler's value, as a result class has it on the wire.

    Attributes are properties, by their Python or their wire name; None is absence where the property may be absent
    and is never null. Mappings are JSON objects already.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot hold.
    """
    classes = (
        (cls,) if issubclass(cls, JsonObject) else classes_in(cls.model_fields["root"].annotation)
    )
    return _settled(to_json_form(value), classes)


@dataclass(frozen=True)
class _Shape:
    """A class's properties: Python name → wire name, those that are never null, constants, the classes of each."""

    wires: dict[str, str]
    never_null: frozenset[str]
    constants: dict[str, tuple[object, ...]]
    classes: dict[str, tuple[type[JsonObject], ...]]

    def knows(self, value: Mapping[str, Any]) -> int:
        """How many of an object's members are properties here; -1 when a constant speaks against it."""
        for wire, allowed in self.constants.items():
            if wire in value and value[wire] not in allowed:
                return -1
        return sum(key in self.wires or key in self.classes for key in value)


@cache
def _shape(cls: type[JsonObject]) -> _Shape:
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    fields = {field.alias or name: field for name, field in cls.model_fields.items()}
    return _Shape(
        {name: field.alias or name for name, field in cls.model_fields.items()},
        frozenset(wire for wire, field in fields.items() if field.exclude_if is not None),
        {
            wire: get_args(field.annotation)
            for wire, field in fields.items()
            if get_origin(field.annotation) is Literal
        },
        {wire: classes_in(field.annotation) for wire, field in fields.items()},
    )


def classes_in(annotation: Any, inside: tuple[Any, ...] = ()) -> tuple[type[JsonObject], ...]:
    """The object classes that an annotation mentions, not those inside of them."""
    if isinstance(annotation, type) and issubclass(annotation, JsonObject):
        return (annotation,)
    if isinstance(annotation, TypeAliasType):
        if any(annotation is one for one in inside):
            return ()
        return classes_in(annotation.__value__, (*inside, annotation))
    return tuple(found for one in get_args(annotation) for found in classes_in(one, inside))


def class_of(
    held: Mapping[str, Any], classes: tuple[type[JsonObject], ...]
) -> type[JsonObject] | None:
    """The class that an object's members speak for most, None where they speak for none of several."""
    cls = max(classes, key=lambda one: _shape(one).knows(held), default=None)
    if cls is None or (len(classes) > 1 and _shape(cls).knows(held) < 1):
        return None
    return cls


def _settled(value: Any, classes: tuple[type[JsonObject], ...]) -> Any:
    if isinstance(value, list):
        return [_settled(item, classes) for item in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    held = cast(dict[str, Any], value)
    cls = class_of(held, classes)
    if cls is None:
        return {key: _settled(item, classes) for key, item in held.items()}
    shape, out = _shape(cls), dict[str, Any]()
    for key, item in held.items():
        wire = key
        if isinstance(value, Attributes):
            wire = shape.wires.get(key, key)
            if wire != key and wire in held:
                wire = key
            if item is None and wire in shape.never_null:
                continue
        out[wire] = _settled(item, shape.classes.get(wire, ()))
    return out


__all__ = ["class_of", "classes_in", "in_wrapper", "result_of", "says_result", "wire_form"]
