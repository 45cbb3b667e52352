"""Properties of generated classes, and the kinds of values that they take, from their annotations."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Container, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypeAliasType

from .models import JsonObject, is_never_null


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
            self.declares(key) and not (item is None and self.wires.get(key, key) in self.never_null)
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
        {wire: get_args(field.annotation) for wire, field in fields.items() if get_origin(field.annotation) is Literal},
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
    return (_drop_duplicates(kind_of_item for items in item_types for kind_of_item in kinds_of(items)), tuple_types)


def items_of(kinds: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
    """Return the kinds of each item of an array."""
    shared, fixed = _split_arrays(kinds)
    if not fixed:
        return [shared] * count
    by_index = [
        [kinds_of(tuple_types[index]) for tuple_types in fixed if index < len(tuple_types)] for index in range(count)
    ]
    return [
        _drop_duplicates((*shared, *(kind for kinds in kinds_at_index for kind in kinds)))
        for kinds_at_index in by_index
    ]


@cache
def values_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the kinds of the values of a map."""
    value_types = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
    return _drop_duplicates(kind_of_value for value_type in value_types for kind_of_value in kinds_of(value_type))


def choose_class(members: Mapping[str, Any], kinds: tuple[Any, ...]) -> type[JsonObject] | None:
    """Return the class that matches most members of an object; None if another type may be meant.

    Of several, it is the one that has most of the names on the wire.
    """
    classes, other_kinds = list_classes(kinds)
    if not other_kinds:
        return classes[0] if classes else None

    def count(candidate: type[JsonObject]) -> tuple[int, int]:
        shape = shape_of(candidate)
        wires = {key: item for key, item in members.items() if key in shape.kinds}
        return shape.count_matches(members), shape.count_matches(wires)

    cls = max(classes, key=count, default=None)
    return None if cls is None or shape_of(cls).count_matches(members) < 1 else cls


@cache
def list_classes(kinds: tuple[Any, ...]) -> tuple[list[type[JsonObject]], bool]:
    """Return the classes among some kinds, and whether an object may be something other than the first."""
    classes: list[type[JsonObject]] = [
        kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JsonObject)
    ]
    return classes, len(classes) > 1 or any(get_origin(kind) is dict for kind in kinds)
