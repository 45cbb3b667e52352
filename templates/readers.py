"""The JSON value of what a handler returned, read in one pass and without instances of the generated classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, cast

from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from .base import JsonObject
from .handled import shape_of
from .jsonable import fields_of, is_dataclass

Reader: TypeAlias = Callable[[object], Any]
"""From a handler's value to its JSON value, in new dicts and lists. Raises `pydantic.ValidationError`."""
_Hook: TypeAlias = Callable[[type[JsonObject]], Callable[[object], object]]
"""For a class: what is done to a value before it is read as an object of that class."""


@cache
def json_reader(cls: type[BaseModel]) -> Reader | None:
    """The reader of what is JSON but for its types' subclasses; None where the class writes something else than it reads.

    What it takes comes out as an instance would have it. The class takes more; no iterator is consumed.
    """
    return _reader(cls, None)


@cache
def attribute_reader(cls: type[BaseModel]) -> Reader | None:
    """As `json_reader`, but dataclasses and generated instances are objects, too."""
    return _reader(cls, _members_for)


def _reader(cls: type[BaseModel], hook: _Hook | None) -> Reader | None:
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    try:
        return SchemaValidator(_plain(cls.__pydantic_core_schema__, hook)).validate_python
    except _NeedsInstances:
        return None


# --- the classes' own schemas, with dicts for objects ----------------------------------------------------------------
_WITHIN = (
    "schema",
    "items_schema",
    "keys_schema",
    "values_schema",
    "extras_schema",
    "choices",
    "definitions",
)
"""The members of a core schema that hold others."""


class _NeedsInstances(Exception):
    """A value is written otherwise than it is read: a date, say."""


def _plain(schema: Any, hook: _Hook | None) -> Any:
    """pydantic's schema of a class, for the same values, with dicts by wire names in place of models."""
    match schema:
        case {"serialization": {"type": "function-plain"}}:
            raise _NeedsInstances
        case {"type": "model", "root_model": False}:
            made = _object(schema, hook)
        case {"type": "model"} | {"type": "function-wrap"}:  # such functions look at instances
            made = _plain(schema["schema"], hook)
        case {"type": "list"}:  # nothing that is used up by reading; and stop at what is wrong
            made = _with_parts(schema, hook) | {"strict": True, "fail_fast": True}
        case {"type": "tuple"}:
            inner = _with_parts(schema, hook)
            made = core_schema.no_info_after_validator_function(list, inner)
        case {"type": _}:
            made = _with_parts(schema, hook)
        case dict():  # of a tagged union
            return {key: _plain(one, hook) for key, one in cast(dict[str, Any], schema).items()}
        case list() | tuple():
            parts = [_plain(one, hook) for one in cast(list[Any], schema)]
            return parts if isinstance(schema, list) else tuple(parts)
        case _:  # a label
            return schema
    return {**made, "ref": schema["ref"]} if "ref" in schema else made


def _with_parts(schema: dict[str, Any], hook: _Hook | None) -> Any:
    return schema | {key: _plain(schema[key], hook) for key in _WITHIN if key in schema}


def _object(model: dict[str, Any], hook: _Hook | None) -> CoreSchema:
    inner, fields = model["schema"], dict[str, core_schema.TypedDictField]()
    while inner["type"] != "model-fields":
        inner = inner["schema"]
    for name, field in inner["fields"].items():
        held = field["schema"]
        absent = held["type"] == "default" and held["default"] is None
        read = _plain(held["schema"] if absent else held, hook)
        wire = field.get("validation_alias", name)
        fields[wire] = core_schema.typed_dict_field(read, required=held["type"] != "default")
    extras = _plain(inner.get("extras_schema"), hook)
    made = core_schema.typed_dict_schema(
        fields,
        strict=True,
        extras_schema=extras,
        extra_behavior=model["config"].get("extra_fields_behavior", "ignore"),
    )
    if hook is None:
        return made
    return core_schema.no_info_before_validator_function(hook(model["cls"]), made)


# --- attributes ------------------------------------------------------------------------------------------------------
_Plan: TypeAlias = tuple[Callable[[Any], dict[str, Any]], tuple[str, ...]]
"""How the members of an object are had, in a new dict, and those of them that None leaves out."""


def _members_for(cls: type[JsonObject]) -> Callable[[object], object]:
    plans: dict[type[Any], _Plan | None] = {dict: None}

    def members(value: object) -> object:
        """The members of a dataclass or an instance; anything else as it is."""
        kind = type(value)
        try:
            plan = plans[kind]
        except KeyError:
            plan = plans[kind] = _plan(kind, cls)
        if plan is None:
            return value
        get, optional = plan
        held = get(value)
        for name in optional:
            if held[name] is None:
                del held[name]
        return held

    return members


def _plan(kind: Any, cls: type[JsonObject]) -> _Plan | None:
    if issubclass(kind, JsonObject):
        return kind.to_structured_content, ()
    if not is_dataclass(kind):
        return None
    names, shape = fields_of(kind), shape_of(cls)
    wires = {name: shape.wire_of(name, names) for name in names}
    optional = tuple(wire for wire in wires.values() if wire in shape.never_null)

    def members(value: Any) -> dict[str, Any]:
        held: dict[str, Any] = getattr(value, "__dict__", {})
        if plain and len(held) == len(names):  # nothing cached beside the fields
            return held.copy()
        return {wire: getattr(value, name) for name, wire in wires.items()}

    plain = all(name == wire for name, wire in wires.items())
    return members, optional


__all__ = ["Reader", "attribute_reader", "json_reader"]
