"""Prepare a handler's return value: results in a mapping, wrappers, attributes as properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel

from .answers import RESULT_MEMBERS
from .class_shapes import Shape, choose_class, items_of, kinds_of, list_classes, shape_of, values_of
from .content_blocks import find_block
from .conversion import Attributes, to_open_form
from .errors import BEYOND_STACK, NoJsonForm, NoJsonType
from .json_values import read_items
from .models import JsonObject
from .user_objects import OpenDecimal, OpenObject

_ENVELOPE_MEMBERS = frozenset({"_meta", "meta", "resultType"})


def may_be_result(value: object) -> bool:
    """Return whether a mapping has some members of a CallToolResult in wire form, and nothing else."""
    return (
        (type(value) is dict or isinstance(value, Mapping))
        and not RESULT_MEMBERS.isdisjoint(mapping := cast("Mapping[str, Any]", value))
        and not mapping.keys() - RESULT_MEMBERS - _ENVELOPE_MEMBERS
    )


def list_content(value: object) -> Any:
    """Return such a mapping with a list of content blocks instead of an iterator, anything else unchanged."""
    mapping = get_mapping(value) if may_be_result(value) else None
    if mapping is None or not isinstance(mapping.get("content"), Iterator):
        return value
    return {**mapping, "content": [*read_items(cast(Iterator[object], mapping["content"]))]}


def get_mapping(value: object) -> Mapping[str, Any] | None:
    """Return a value if it is a mapping; None for anything else."""
    return cast(Any, value) if type(value) is dict or isinstance(value, Mapping) else None


def in_wrapper(value: object, cls: type[BaseModel]) -> Any:
    """Wrap a bare value as `{"result": value}`, unless it is that object already."""
    mapping = value.list_public() if isinstance(value, OpenObject) else get_mapping(value)
    if mapping is not None and "result" in mapping and (len(mapping) == 1 or not _holds_objects(cls)):
        return value
    if isinstance(value, JsonObject) and "result" in type(value).model_fields:
        return value
    return {"result": value}


@cache
def _holds_objects(cls: type[BaseModel]) -> bool:
    """Return whether the inner value of `{"result": …}` may be an object."""
    inner = shape_of(cast(type[JsonObject], cls)).kinds["result"]
    return any(kind is Any or get_origin(kind) is dict or kind in list_classes(inner)[0] for kind in inner)


# --- attributes ------------------------------------------------------------------------------------------------------
def wire_form(value: object, cls: type[BaseModel], bare: bool = False) -> Any:
    """Convert a handler's value to JSON, in the wire form of a result class.

    Attributes are properties, by their Python or their wire name; None means absence if the property may be absent but
    not null. An object without fields gives only the properties that are declared. Mappings are already JSON objects.
    `bare`: it may be the inner value of the declared `{"result": …}`, and stays unwrapped.

    Raises:
        NoJsonForm: a ValueError, with the JSON pointer of what JSON cannot represent.
    """
    if isinstance(value, Iterator):
        value = [*read_items(cast(Iterator[object], value))]
    form = to_open_form(value)
    kinds: tuple[Any, ...] = (cls,)
    if not issubclass(cls, JsonObject):
        kinds = kinds_of(cls.model_fields["root"].annotation)
    elif bare and in_wrapper(form, cls) is not form:
        kinds = shape_of(cls).kinds["result"]
    if isinstance(value, list | tuple):
        items = cast(Sequence[object], value)
        for item, inner in zip(items, items_of(kinds, len(items)), strict=True):
            _refuse_content(item, inner)
    else:
        _refuse_content(value, kinds)
    try:
        return _settle(form, kinds)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None


def _refuse_content(value: object, kinds: tuple[Any, ...]) -> None:
    """Refuse a content block, unless the schema describes one: it is content, not data.

    Raises:
        NoJsonType: it is one.
    """
    if type(value) is dict or find_block(value) is None:
        return
    if not any(shape_of(cls).declares("type") for cls in list_classes(kinds)[0]):
        name = type(value).__name__
        raise NoJsonType(
            f"{name} is content, not a value of the outputSchema: to_call_tool_result(content=…) sends both"
        )


def _settle(value: Any, kinds: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_settle_part(index, item, inner[index]) for index, item in enumerate(items)]
    if isinstance(value, OpenDecimal):
        return value.choose(any(map(_takes_numbers, kinds)), any(map(_takes_text, kinds)))
    if isinstance(value, OpenObject):
        return _settle_object(value, kinds)
    if not isinstance(value, dict):
        return value
    if isinstance(value, Attributes) and value.other is not None:
        value = min(value, value.other, key=lambda form: _count_misfits(form, kinds))
    members = cast(dict[str, Any], value)
    cls = choose_class(members, kinds)
    if cls is None:
        value_kinds = values_of(kinds)
        return {key: _settle_part(key, item, value_kinds) for key, item in members.items()}
    shape, out = shape_of(cls), dict[str, Any]()
    has_python_names = isinstance(value, Attributes)
    for key, item in members.items():
        wire = key
        if has_python_names:
            wire = shape.get_wire_name(key, members)
            if item is None and wire in shape.never_null:
                continue
        if isinstance(item, _OPEN):
            item = _settle_part(wire, item, shape.kinds.get(wire, shape.extra))
        out[wire] = item
    if isinstance(value, Attributes) and value.source is not None:
        absent = {name: wire for name, wire in shape.wires.items() if wire not in out}
        computed = value.source.read_computed([*absent, *absent.values()])
        out |= _settle_attributes(value.source, computed, shape, absent)
    return out


_OPEN = (dict, list, OpenDecimal, OpenObject)
"""Types of values that a schema may change."""


def _settle_part(token: str | int, item: Any, kinds: tuple[Any, ...]) -> Any:
    try:
        return _settle(item, kinds)
    except NoJsonForm as error:
        error.inside(token)
        raise


def _settle_object(value: OpenObject, kinds: tuple[Any, ...]) -> dict[str, Any]:
    """Return the declared properties of an object, or all public attributes where no properties are declared."""
    shapes = [shape_of(cls) for cls in list_classes(kinds)[0]]
    names = {name for shape in shapes for pair in shape.wires.items() for name in pair}
    found = value.read(names)
    cls = choose_class(found, kinds)
    shape = None if cls is None else shape_of(cls)
    if shape is not None and shape.wires:
        properties = _settle_attributes(value, found, shape, shape.wires)
        if not properties and not found:
            raise NoJsonForm(f"an object of type {value.class_name} has none of the properties")
        return properties
    public = value.read(value.list_public())
    if not public:
        raise NoJsonType.of_class(value.class_name)
    value_kinds = values_of(kinds) if shape is None else shape.extra
    return {name: _settle_part(name, value.convert(name, item), value_kinds) for name, item in public.items()}


def _settle_attributes(
    value: OpenObject, found: Mapping[str, Any], shape: Shape, wires: Mapping[str, str]
) -> dict[str, Any]:
    """Return some attributes of an object as properties.

    Args:
        value: the object.
        found: its attributes.
        shape: the properties.
        wires: the names on the wire of those that are wanted, by their Python names.
    """
    out: dict[str, Any] = {}
    for name, wire in wires.items():
        if wire not in found and name not in found:
            continue
        item = found[wire if wire in found else name]
        if item is None and wire in shape.never_null:
            continue
        out[wire] = _settle_part(wire, value.convert(wire, item), shape.kinds[wire])
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
