"""The JSON value of what a handler returned, read in one pass and without instances of the generated classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from .base import JsonObject
from .handled import shape_of
from .jsonable import fields_of, members_of, own_form

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
    """As `json_reader`, but dataclasses, pydantic models and generated instances are objects, too."""
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
        case {"type": "function-wrap", "function": {"function": function}} if hasattr(
            function, "reads_once"
        ):
            made = _with_parts(schema, hook)
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
class _Plan(NamedTuple):
    """How the members of a value are had."""

    size: int
    """So many attributes in its `__dict__` are its fields and nothing else, by their wire names; -1: they never are."""
    members: Callable[[Any], dict[str, Any]]
    """The other way to them."""
    optional: tuple[str, ...]
    """The wire names of those that None leaves out."""


def _members_for(cls: type[JsonObject]) -> Callable[[object], object]:
    @lru_cache(512)
    def plan_of(kind: Any) -> _Plan | None:
        return _plan(kind, cls)

    def members(value: object) -> object:
        """The members of what has fields; anything else as it is."""
        kind: Any = type(value)
        plan = None if kind is dict else plan_of(kind)
        if plan is None:
            return value
        size, other_way, optional = plan
        held: dict[str, Any] = getattr(value, "__dict__", _NOTHING)
        if len(held) != size:
            held = other_way(value)
        if optional:
            held = held.copy()
            for name in optional:
                if held.get(name, name) is None:
                    del held[name]
        return held

    return members


_NOTHING: dict[str, Any] = {}


def _plan(kind: Any, cls: type[JsonObject]) -> _Plan | None:
    if issubclass(kind, JsonObject):
        return _Plan(-1, own_form, ())
    names = fields_of(kind)
    if names is None:
        return None
    shape, keys = shape_of(cls), frozenset(names.values())
    wires = {name: shape.wire_of(key, keys) for name, key in names.items()}
    optional = tuple(wire for wire in wires.values() if wire in shape.never_null)
    renamed = any(name != wire for name, wire in wires.items())
    return _Plan(-1 if renamed else len(wires), partial(members_of, names=wires), optional)


__all__ = ["Reader", "attribute_reader", "json_reader"]
