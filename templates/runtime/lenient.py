"""Instances of what a server sent although it violates its schema, for clients that go on with a warning."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from .base import JsonObject
from .deep import remembering
from .handled import class_of, items_of, kinds_of, shape_of, values_of

M = TypeVar("M", bound=BaseModel)


def lenient(cls: type[M], value: Any) -> M:
    """An instance with the right types wherever the value has them, and with the JSON value itself elsewhere."""
    with remembering():  # each level of the value is tried anew
        if "root" in cls.model_fields and not issubclass(cls, JsonObject):
            root = _near(value, kinds_of(cls.model_fields["root"].annotation))
            return _made(cls, {"root": root}, None)
        return _instance(cls, cast(dict[str, Any], value))


def _near(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_near(item, inner[index]) for index, item in enumerate(items)]
    if not isinstance(value, dict):
        return value
    held = cast(dict[str, Any], value)
    if (cls := class_of(held, kinds)) is not None:
        return _instance(cls, held)
    within = values_of(kinds)
    return {key: _near(item, within) for key, item in held.items()}


def _instance(cls: type[M], held: dict[str, Any]) -> M:
    values: dict[str, Any] = {}
    wires: set[str] = set()
    for name, field in cls.model_fields.items():
        wire = field.alias or name
        wires.add(wire)
        if wire in held:
            values[name] = _field(cls, name, held[wire])
        elif not field.is_required():
            values[name] = field.default
    inner = shape_of(cls).extra if issubclass(cls, JsonObject) else ()
    extras = {key: _near(item, inner) for key, item in held.items() if key not in wires}
    given = {name for name in values if (cls.model_fields[name].alias or name) in held}
    return _made(cls, values, extras, given)


def _field(cls: type[BaseModel], name: str, value: Any) -> Any:
    try:
        return _adapter(cls, name).validate_python(value, by_alias=True, by_name=False)
    except ValidationError:
        return _near(value, kinds_of(cls.model_fields[name].annotation))


@cache
def _adapter(cls: type[BaseModel], name: str) -> TypeAdapter[Any]:
    field = cls.model_fields[name]
    kind: Any = field.annotation
    for one in field.metadata:
        kind = cast(Any, Annotated.__class_getitem__((kind, one)))  # type: ignore[attr-defined]
    return TypeAdapter[Any](kind)


def _made(
    cls: type[M],
    values: dict[str, Any],
    extras: dict[str, Any] | None,
    given: set[str] | None = None,
) -> M:
    """An instance that nothing is checked of, not even by `model_post_init`."""
    made = cls.__new__(cls)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", set(values) if given is None else given)
    keeps = cls.model_config.get("extra") == "allow"
    object.__setattr__(made, "__pydantic_extra__", extras if keeps else None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


__all__ = ["lenient"]
