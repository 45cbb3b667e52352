"""Prepare a handler's return value: results in a mapping, wrappers, attributes as properties."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Container, Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel
from typing_extensions import TypeAliasType

from .content_blocks import convert_block
from .json_conversion import Attributes, to_open_form
from .json_objects import JsonObject, is_never_null
from .model_dumps import OpenDecimal
from .protocol import CallToolResult
from .protocol_versions import RESULT_TYPE_SINCE

_RESULT_MEMBERS = frozenset({"content", "structuredContent", "isError"})
_ENVELOPE_MEMBERS = frozenset({"_meta", "meta", "resultType"})


def says_result(value: object) -> bool:
    """Return whether a mapping is a CallToolResult in wire form: some of its members, and nothing else."""
    mapping = _get_mapping(value)
    if (
        mapping is None
        or _RESULT_MEMBERS.isdisjoint(mapping)
        or mapping.keys() - _RESULT_MEMBERS - _ENVELOPE_MEMBERS
    ):
        return False
    try:
        _read_wire_result(mapping)
    except (ValueError, TypeError):
        return False
    return True


def result_of(value: object, version: str) -> CallToolResult:
    """Convert such a mapping to a CallToolResult, with the `resultType` that the protocol version requires.

    Raises:
        pydantic.ValidationError: it is not a CallToolResult.
    """
    defaults = {"resultType": "complete"} if version >= RESULT_TYPE_SINCE else {}
    return _read_wire_result({**defaults, **(_get_mapping(value) or {})})


def _get_mapping(value: object) -> Mapping[str, Any] | None:
    return cast(Any, value) if type(value) is dict or isinstance(value, Mapping) else None


def _read_wire_result(value: Mapping[str, Any]) -> CallToolResult:
    wire: dict[str, Any] = {"content": []}
    for key, item in value.items():
        wire["_meta" if key == "meta" else key] = item
    wire["content"] = [convert_block(block) or block for block in wire["content"]]
    return CallToolResult.model_validate(wire)


def in_wrapper(value: object, cls: type[BaseModel]) -> Any:
    """Wrap a bare value as `{"result": value}`, unless it is that object already."""
    mapping = _get_mapping(value)
    if (
        mapping is not None
        and "result" in mapping
        and (len(mapping) == 1 or not _holds_objects(cls))
    ):
        return value
    if isinstance(value, JsonObject) and "result" in type(value).model_fields:
        return value
    return {"result": value}


@cache
def _holds_objects(cls: type[BaseModel]) -> bool:
    """Return whether the inner value of `{"result": …}` may be an object."""
    inner = shape_of(cast(type[JsonObject], cls)).kinds["result"]
    return any(
        kind is Any or get_origin(kind) is dict or kind in _list_classes(inner)[0] for kind in inner
    )


# --- attributes ------------------------------------------------------------------------------------------------------
def wire_form(value: object, cls: type[BaseModel], bare: bool = False) -> Any:
    """Convert a handler's value to JSON, in the wire form of a result class.

    Attributes are properties, by their Python or their wire name; None means absence if the property may be absent but
    not null. Mappings are already JSON objects. `bare`: it may be the inner value of the declared `{"result": …}`, and
    stays unwrapped.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot represent.
    """
    form = to_open_form(value)
    if not issubclass(cls, JsonObject):
        return _settle(form, kinds_of(cls.model_fields["root"].annotation))
    if bare and in_wrapper(form, cls) is not form:
        return _settle(form, shape_of(cls).kinds["result"])
    return _settle(form, (cls,))


class Shape(NamedTuple):
    """Properties of a class: wire names, which are never null, constants, the kinds of each."""

    wires: dict[str, str]
    never_null: frozenset[str]
    constants: dict[str, tuple[object, ...]]
    kinds: dict[str, tuple[Any, ...]]
    extra: tuple[Any, ...]
    """Kinds of undeclared properties."""

    def get_wire_name(self, name: str, beside: Container[str]) -> str:
        """Return the wire name of an attribute, unless another attribute already has that name."""
        wire = self.wires.get(name, name)
        return name if wire in beside else wire

    def declares(self, name: str) -> bool:
        """Return whether a name is the Python or the wire name of a property."""
        return name in self.wires or name in self.kinds

    def count_matches(self, value: Mapping[str, Any]) -> int:
        """Count the members that are properties of the class and not absent; -1 if a constant differs."""
        for wire, allowed in self.constants.items():
            if wire in value and value[wire] not in allowed:
                return -1
        return sum(
            self.declares(key)
            and not (item is None and self.wires.get(key, key) in self.never_null)
            for key, item in value.items()
        )


@cache
def shape_of(cls: type[JsonObject]) -> Shape:
    """Return the properties of a class, completed first if necessary."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    fields = {field.alias or name: field for name, field in cls.model_fields.items()}
    return Shape(
        {name: field.alias or name for name, field in cls.model_fields.items()},
        frozenset(wire for wire, field in fields.items() if is_never_null(field)),
        {
            wire: get_args(field.annotation)
            for wire, field in fields.items()
            if get_origin(field.annotation) is Literal
        },
        {wire: kinds_of(field.annotation) for wire, field in fields.items()},
        values_of(kinds_of(_get_extra_annotation(cls))),
    )


def _get_extra_annotation(cls: type[JsonObject]) -> Any:
    """Return the annotation of a class's undeclared properties; None if it has none."""
    for base in cls.__mro__:
        text = inspect.get_annotations(base).get("__pydantic_extra__")
        if text is not None and issubclass(base, JsonObject):
            return _evaluate_annotation(text, base.__module__)
    return None


def _evaluate_annotation(annotation: Any, module: str) -> Any:
    """Evaluate an annotation that may be a string."""
    if not isinstance(annotation, str):
        return annotation
    holder = type("_", (), {"__annotations__": {"it": annotation}})
    return get_type_hints(holder, vars(sys.modules[module]), include_extras=True)["it"]


@cache
def _evaluate_alias(alias: TypeAliasType) -> Any:
    """Return the value of an alias, always the same object: new objects would count as other kinds."""
    return _evaluate_annotation(alias.__value__, str(alias.__module__))


def kinds_of(annotation: Any) -> tuple[Any, ...]:
    """Return the alternatives of an annotation: the parts of unions, aliases and `Annotated`."""
    alternatives, todo, opened = list[Any](), [annotation], list[Any]()
    for alternative in todo:  # grows during the loop
        if isinstance(alternative, TypeAliasType):
            if all(alternative is not other for other in opened):
                opened.append(alternative)
                todo.append(_evaluate_alias(alternative))
        elif get_origin(alternative) is Annotated:
            todo.append(get_args(alternative)[0])
        elif get_origin(alternative) in (Union, UnionType):
            todo.extend(get_args(alternative))
        else:
            alternatives.append(alternative)
    return _drop_duplicates(alternatives)


def _drop_duplicates(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Return each kind once: recursive arrays would otherwise repeat kinds on every level."""
    return tuple(dict.fromkeys(kinds))


@cache
def _split_arrays(kinds: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return the kinds of any item of an array, and the items of each tuple."""
    item_types = [get_args(kind)[0] for kind in kinds if get_origin(kind) is list]
    tuple_types = [get_args(kind) for kind in kinds if get_origin(kind) is tuple]
    return (
        _drop_duplicates(kind_of_item for items in item_types for kind_of_item in kinds_of(items)),
        tuple_types,
    )


def items_of(kinds: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
    """Return the kinds of each item of an array."""
    shared, fixed = _split_arrays(kinds)
    if not fixed:
        return [shared] * count
    by_index = [
        [kinds_of(tuple_types[index]) for tuple_types in fixed if index < len(tuple_types)]
        for index in range(count)
    ]
    return [
        _drop_duplicates((*shared, *(kind for kinds in kinds_at_index for kind in kinds)))
        for kinds_at_index in by_index
    ]


@cache
def values_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the kinds of the values of a map."""
    value_types = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
    return _drop_duplicates(
        kind_of_value for value_type in value_types for kind_of_value in kinds_of(value_type)
    )


def choose_class(members: Mapping[str, Any], kinds: tuple[Any, ...]) -> type[JsonObject] | None:
    """Return the class that matches most members of an object; None if another type may be meant."""
    classes, other_kinds = _list_classes(kinds)
    if not other_kinds:
        return classes[0] if classes else None
    cls = max(
        classes, key=lambda candidate: shape_of(candidate).count_matches(members), default=None
    )
    return None if cls is None or shape_of(cls).count_matches(members) < 1 else cls


@cache
def _list_classes(kinds: tuple[Any, ...]) -> tuple[list[type[JsonObject]], bool]:
    """Return the classes among some kinds, and whether an object may be something other than the first."""
    classes: list[type[JsonObject]] = [
        kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)
    ]
    return classes, len(classes) > 1 or any(get_origin(kind) is dict for kind in kinds)


def _settle(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_settle(item, inner[index]) for index, item in enumerate(items)]
    if isinstance(value, OpenDecimal):
        return value.choose(any(map(_takes_numbers, kinds)), any(map(_takes_text, kinds)))
    if not isinstance(value, dict):
        return value
    if isinstance(value, Attributes) and value.other is not None:
        value = min(value, value.other, key=lambda form: _count_misfits(form, kinds))
    members = cast(dict[str, Any], value)
    cls = choose_class(members, kinds)
    if cls is None:
        value_kinds = values_of(kinds)
        return {key: _settle(item, value_kinds) for key, item in members.items()}
    shape, out = shape_of(cls), dict[str, Any]()
    has_python_names = isinstance(value, Attributes)
    for key, item in members.items():
        wire = key
        if has_python_names:
            wire = shape.get_wire_name(key, members)
            if item is None and wire in shape.never_null:
                continue
        if isinstance(item, dict | list | OpenDecimal):
            item = _settle(item, shape.kinds.get(wire, shape.extra))
        out[wire] = item
    return out


def _takes_numbers(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return any(type(constant) is int for constant in get_args(kind))
    return kind in (int, float, Any)


def _takes_text(kind: Any) -> bool:
    """Return whether a kind takes strings; a class that is not of JSON is one for strings of a format."""
    is_other = isinstance(kind, type) and not issubclass(kind, BaseModel | int | float | NoneType)
    return kind is Any or is_other


def _count_misfits(value: Any, kinds: tuple[Any, ...]) -> int:
    """Count the undeclared properties in a form of a model."""
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return sum(_count_misfits(item, inner[index]) for index, item in enumerate(items))
    if not isinstance(value, dict):
        return 0
    members = cast(dict[str, Any], value)
    cls = choose_class(members, kinds)
    if cls is None:
        value_kinds = values_of(kinds)
        return sum(_count_misfits(item, value_kinds) for item in members.values())
    shape, count = shape_of(cls), 0
    for key, item in members.items():
        wire = shape.get_wire_name(key, members)
        declared = wire in shape.kinds
        count += not declared
        count += _count_misfits(item, shape.kinds[wire] if declared else shape.extra)
    return count


def split_pair(value: object) -> tuple[object, object] | None:
    """Return the parts of a 2-tuple, None for anything else; a NamedTuple is one value."""
    items = cast(tuple[object, ...], value) if isinstance(value, tuple) else ()
    if hasattr(items, "_fields"):
        return None
    return (items[0], items[1]) if len(items) == 2 else None


__all__ = [
    "Shape",
    "choose_class",
    "in_wrapper",
    "items_of",
    "kinds_of",
    "result_of",
    "says_result",
    "shape_of",
    "split_pair",
    "values_of",
    "wire_form",
]
