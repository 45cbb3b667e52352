"""Rules for Python names, on which programs that import and use the generated package rely."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from mcpgen.compat.rules.rule import Category, RuleMatch, define_rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import PAYLOAD_POINTER, SIDE_POINTERS
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, has_pointer, parse_pointer

ROOT_PLACE = "#"
"""Place of a result or resource as a whole."""


class ValuePlace(NamedTuple):
    """Place of an object, and wire name of a property; the name is empty at `ROOT_PLACE`."""

    place: str
    wire: str
    depth: int = 0
    """0 for the property itself, 1 for its items or the values of its map, and so on."""


SCHEMA_POINTERS = {
    "#form": "/requestedSchema",
    "#resource": PAYLOAD_POINTER,
    **{f"#{side}": pointer for side, pointer in SIDE_POINTERS.items()},
}
"""First part of the places in a schema → pointer of the schema in the definition."""


def _make_place_pointer(place: str) -> str:
    side, slash, rest = place.partition("/")
    pointer = SCHEMA_POINTERS.get(side.removesuffix(":"))
    return "" if pointer is None else pointer + slash + rest


@dataclass(frozen=True)
class PythonNames:
    """Names of one generated module, its classes and their attributes."""

    module: str
    main: tuple[str, ...]
    """Root classes, in a fixed order: those of the result and the arguments, or that of the resource."""
    classes: frozenset[str]
    attributes: Mapping[tuple[str, str], str]
    """(Class, wire name of a property) → attribute."""
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Place in the schemas (`#output:/properties/wind`) → module and name of the class or alias made from it.

    The module is empty for the definition's own, else that of shared classes.
    """
    string_types: Mapping[str, str] = field(default_factory=dict[str, str])
    """Place in the schemas → Python type of the strings there: `str`, or that of a format."""
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Place in the schemas of an object, the root and shared classes included → wire name → attribute."""
    values: Mapping[ValuePlace, frozenset[str]] = field(default_factory=dict[ValuePlace, frozenset[str]])
    """What a property, or its items, can be: constants and null as JSON text, and `string` or the like for any."""
    required: frozenset[tuple[str, str]] = frozenset()
    """Place of an object and wire name of each required property."""
    closed: frozenset[str] = frozenset()
    """Places of the objects that have no undeclared properties."""
    bases: Mapping[str, str] = field(default_factory=dict[str, str])
    """Place of a root that only refers to another object → place of that object."""
    class_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Place of an object → name of its class."""
    schemas: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Schemas of the definition, by the first part of a place: `#output`."""
    package_classes: frozenset[str] = frozenset()
    """All classes of the package, those of other definitions included."""


# --- rules ------------------------------------------------------------------------------------------------------------
_KINDS = frozenset({"any", "string", "integer", "number", "boolean", "array", "object"})
_CORRECT_IMPORTS = "or correct the code that imports it, which your type checker finds"
_KEEP_NAME = (
    'keep it by "x-mcpgen": {"name": …} of the definition, or {"type": …} inside the schema',
    f"keep it by `name` or `types` in the settings, {_CORRECT_IMPORTS}",
)
"""Advice for the author of the definitions, and for who has pulled them; the same is true of those below."""
_CLASS_IS_GONE = (_KEEP_NAME[0], "the server no longer describes it: correct the code that imports it")
_MODULE_HAS_IT = (
    "the package itself no longer exports it: import it from the module of its definition, which has it whether it is "
    "shared or not"
)
_UNSHARED_CLASS = (_MODULE_HAS_IT, _MODULE_HAS_IT)
_KEEP_FORMAT = (
    'keep it by "x-mcpgen": {"format": "native"} or {"format": "string"} next to the format',
    "keep it by `formats` in the settings, or correct the code that uses it, which your type checker finds",
)
_CORRECT_USES = "correct the code that uses it, which your type checker finds"
_NULL_IS_GONE = (
    "keep null for as long as handlers pass None: an optional property is left out instead, and None fails elsewhere",
    "code that expects null no longer runs",
)
_VALUE_IS_GONE = (
    "keep the value for as long as handlers return it; code that compares with it no longer runs",
    "code that compares with it no longer runs",
)


_name_rule = partial(define_rule, PythonNames, Category.NAMES)


@_name_rule("name-module-changed", "The module of a tool or resource has another name.")
def _module_changed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    if old.module != new.module:
        yield RuleMatch(f"its module was {old.module}, is {new.module} now", "", *_KEEP_NAME)


@_name_rule("name-class-changed", "The class of a result, of arguments or of a resource has another name.")
def _class_changed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    for before, after in zip(old.main, new.main, strict=False):
        if before != after:
            yield RuleMatch(f"its class was {before}, is {after} now", "", *_KEEP_NAME)


@_name_rule("name-class-moved", "A class inside a result, arguments or a resource has another name.")
def _class_moved(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    for before, after, place in _list_moves(old, new):
        if before[1] != after[1]:
            help = (
                f'keep the name: write "x-mcpgen": {{"type": "{before[1]}"}} next to the "type" of its schema, '
                "or use `types` in the settings"
            )
            client_help = f"keep the name by `types` in the settings, {_CORRECT_IMPORTS}"
            if before[0] and not after[0]:
                help = (
                    f"its schema no longer equals those that it shared the class with; make them equal again, or {help}"
                )
            yield RuleMatch(_describe_move(old, new, place), _make_place_pointer(place), help, client_help)


@_name_rule(
    "name-class-unshared",
    "A class that several definitions shared belongs to one alone: the package itself no longer exports it.",
    Severity.WARNING,
)
def _class_unshared(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    for before, after, place in _list_moves(old, new):
        if before[1] == after[1] and not after[0]:
            yield RuleMatch(_describe_move(old, new, place), _make_place_pointer(place), *_UNSHARED_CLASS)


def _list_moves(old: PythonNames, new: PythonNames) -> list[tuple[tuple[str, str], tuple[str, str], str]]:
    """Return the modules and names of classes before and after, where they differ; see `PythonNames.places`."""
    moves: dict[tuple[tuple[str, str], tuple[str, str]], str] = {}
    for place, before in old.places.items():
        if new.places.get(place, before) != before:
            moves.setdefault((before, new.places[place]), place)
    return sorted((before, after, place) for (before, after), place in moves.items())


def _describe_move(old: PythonNames, new: PythonNames, place: str) -> str:
    """Return what became of a class, and which keyword of its schema has changed, so that it may differ from others."""
    before, after = (f"{names.places[place][0] or names.module}.{names.places[place][1]}" for names in (old, new))
    text = f"its class {before} is {after} now"
    side, path = _split_place(place)
    try:
        old_schema, new_schema = (follow_pointer(names.schemas.get(side), path) for names in (old, new))
    except KeyError:
        return text
    changed = next(_list_changed(old_schema, new_schema, _make_place_pointer(place)), "")
    container, _, keyword = changed.rpartition("/")
    return f'{text}, since "{keyword}" at {container} has changed' if changed else text


def _split_place(place: str) -> tuple[str, list[str]]:
    """Return the side of a place, as in `#output`, and the tokens of its pointer into the schema."""
    side, slash, pointer = place.partition("/")
    return side.removesuffix(":"), parse_pointer(slash + pointer)


def _list_changed(old: Json, new: Json, pointer: str) -> Iterator[str]:
    """Yield the pointers of the keywords that two versions of a schema do not share, but for texts."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield pointer
        return
    for key in sorted({*old, *new} - {"title", "description", "examples", "$comment"}):
        inner = pointer + format_pointer(key)
        if key in old and key in new:
            yield from _list_changed(old[key], new[key], inner)
        else:
            yield inner


@_name_rule("name-class-removed", "A class inside a result, arguments or a resource was removed.")
def _class_removed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    moved = {name for place, (_, name) in old.places.items() if place in new.places}
    for name in sorted(old.classes - new.package_classes - set(old.main) - moved):
        yield RuleMatch(f"its class {name} was removed", "", *_CLASS_IS_GONE)


@_name_rule(
    "name-attribute-changed", "The attribute of a property has another name, although the property still exists."
)
def _attribute_changed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    places = {old.class_names[place]: place for place in old.fields}
    for (class_name, wire), before in old.attributes.items():
        after = new.attributes.get((class_name, wire))
        if after is not None and after != before:
            text = f'"{wire}" was {class_name}.{before}, is {class_name}.{after} now'
            yield RuleMatch(text, _make_property_pointer(places.get(class_name, ""), wire))


@_name_rule(
    "name-attribute-removed", "A class no longer has an attribute, because the schema no longer declares its property."
)
def _attribute_removed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    by_class = {new.class_names[place]: fields for place, fields in new.fields.items()}
    matches: dict[str, RuleMatch] = {}
    lost = {place: {*_list_lost_properties(old, new, place, by_class)} for place in old.fields}
    for place, old_fields in old.fields.items():
        class_name = old.class_names[place]
        for wire in old_fields:
            if wire in lost[place] and wire not in lost.get(old.bases.get(place, ""), ()):
                text = f'{class_name}.{old_fields[wire]} is gone: the schema no longer declares "{wire}"'
                new_name = _find_new_name(old, new, place, wire)
                text += f', but "{new_name}" is new and has the same schema' if new_name is not None else ""
                help = _advise_keeping(old, place, wire, new_name)
                client_help = _CORRECT_USES if new_name is None else f"it may have been renamed: {_CORRECT_USES}"
                matches.setdefault(text, RuleMatch(text, _make_property_pointer(place, wire), help, client_help))
    yield from matches.values()


def _list_lost_properties(
    old: PythonNames, new: PythonNames, place: str, by_class: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    new_fields = new.fields.get(place, by_class.get(old.class_names[place]))
    if new_fields is not None:
        kept = {*new_fields.values()}
        for wire, attribute in old.fields[place].items():
            if wire not in new_fields and attribute not in kept:
                yield wire


def _advise_keeping(old: PythonNames, place: str, wire: str, new_name: str | None) -> str:
    """Return how to keep a removed property, so that `diff` reports nothing: neither its removal nor another change."""
    is_input = place.startswith("#input")
    presence = "required" if (place, wire) in old.required and not is_input else "optional"
    advice = f'keep "{wire}" in the schema, {presence}, until no program uses it'
    if new_name is None:
        return f"programs that use it fail; {advice}"
    rename = f'if you renamed it to "{new_name}", programs that use the old name fail'
    if is_input or place not in old.closed:
        return f'{rename}; {advice}, and declare "{new_name}" as well, optional'
    return f"{rename}, and readers of this closed object refuse the new one; {advice}"


def _find_new_name(old: PythonNames, new: PythonNames, place: str, wire: str) -> str | None:
    """Return the new property that a removed one was perhaps renamed to: the only two with the same schema."""
    before, after = _find_properties(old.schemas, place), _find_properties(new.schemas, place)
    if wire not in before:
        return None
    gained = [name for name in after.keys() - before.keys() if not any(_list_changed(before[wire], after[name], ""))]
    lost = [name for name in before.keys() - after.keys() if not any(_list_changed(before[wire], before[name], ""))]
    return gained[0] if len(gained) == len(lost) == 1 else None


def _find_properties(schemas: Mapping[str, Json], place: str) -> dict[str, Json]:
    side, path = _split_place(place)
    try:
        return as_object(follow_pointer(schemas.get(side), [*path, "properties"]))
    except KeyError:
        return {}


def _make_property_pointer(place: str, wire: str) -> str:
    """Return the pointer of a property of an object, whether it is there or not; empty if the object is in none."""
    pointer = _make_place_pointer(place)
    return pointer and pointer + format_pointer("properties", wire)


@_name_rule(
    "name-value-removed",
    "A result can no longer be null, or a value of an enum: handlers that still return it fail, or leave it out.",
    Severity.WARNING,
)
def _value_removed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    """Find values that a result or resource can no longer have; those of arguments break calls, see `input`."""
    lost = {key: _list_lost_values(old, new, key) for key in old.values if not key.place.startswith("#input")}
    for key, removed in lost.items():
        base = old.bases.get(key.place, "")
        if removed and lost.get(key._replace(place=base)) != removed:
            class_name = old.class_names[key.place]
            described = class_name if key.place == ROOT_PLACE else f'"{key.wire}" of {class_name}'
            text = f"{'items of ' * key.depth}{described} can no longer be {', '.join(removed)}"
            help = _NULL_IS_GONE if removed == ["null"] else _VALUE_IS_GONE
            yield RuleMatch(text, _make_property_pointer(key.place, key.wire), *help)


def _list_lost_values(old: PythonNames, new: PythonNames, key: ValuePlace) -> list[str]:
    """Return the constants that were possible at a place and no longer are, as JSON text; null is one."""
    possible = new.values.get(key, frozenset({"any"}))
    constants = old.values[key] - _KINDS
    return sorted(value for value in constants - possible if possible.isdisjoint({"any", *_find_kinds(value)}))


def _find_kinds(constant: str) -> tuple[str, ...]:
    match json.loads(constant):
        case str():
            return ("string",)
        case bool():
            return ("boolean",)
        case int():
            return ("integer", "number")
        case _:
            return ()


@_name_rule(
    "name-format-changed",
    "Strings have another type in Python: that of their format, by `formats` or `x-mcpgen`, or `str`.",
)
def _format_changed(old: PythonNames, new: PythonNames) -> Iterator[RuleMatch]:
    for place, before in old.string_types.items():
        after = new.string_types.get(place, before)
        if after != before:
            text = f"the strings at {place} were {before} in Python, are {after} now"
            help = _KEEP_FORMAT
            if lost := _find_lost_format(old, new, place):
                text += f', since the schema no longer declares the format "{lost}"'
                help = (f'keep "format": "{lost}" in the schema: no setting makes up for it', _CORRECT_USES)
            yield RuleMatch(text, _make_place_pointer(place), *help)


def _find_lost_format(old: PythonNames, new: PythonNames, place: str) -> str:
    """Return the format that made the strings at a place another type than `str`, if the schema has lost it."""
    side, path = _split_place(place)
    if old.string_types[place] == "str":
        return ""
    pointer = format_pointer(*path, "format")
    before, after = (
        follow_pointer(schema, parse_pointer(pointer)) if has_pointer(schema, pointer) else ""
        for schema in (old.schemas.get(side), new.schemas.get(side))
    )
    return str(before) if before != after else ""


PYTHON_NAMES_RULES = (
    _module_changed,
    _class_changed,
    _class_moved,
    _class_unshared,
    _class_removed,
    _attribute_changed,
    _attribute_removed,
    _value_removed,
    _format_changed,
)
