"""Rules for Python names, on which programs that import the generated package rely."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from mcpgen.compat.python_names import ROOT_PLACE, ValuePlace, make_place_pointer
from mcpgen.compat.rules.rule import Category, PythonNamesPair, PythonNamesRule, RuleMatch
from mcpgen.diagnostics import Severity
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, has_pointer, parse_pointer

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


def _find_changed_module(names: PythonNamesPair) -> Iterator[RuleMatch]:
    if names.old.module != names.new.module:
        yield RuleMatch(f"its module was {names.old.module}, is {names.new.module} now", "", *_KEEP_NAME)


def _find_changed_classes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    for old, new in zip(names.old.main, names.new.main, strict=False):
        if old != new:
            yield RuleMatch(f"its class was {old}, is {new} now", "", *_KEEP_NAME)


def _find_moved_classes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    for (old, new), place in _list_moves(names):
        if old[1] != new[1]:
            help = (
                f'keep the name: write "x-mcpgen": {{"type": "{old[1]}"}} next to the "type" of its schema, '
                "or use `types` in the settings"
            )
            client_help = f"keep the name by `types` in the settings, {_CORRECT_IMPORTS}"
            if old[0] and not new[0]:
                help = (
                    f"its schema no longer equals those that it shared the class with; make them equal again, or {help}"
                )
            text = _describe_move(names, old, new) + _explain_split(names, place)
            yield RuleMatch(text, make_place_pointer(place), help, client_help)


def _explain_split(names: PythonNamesPair, place: str) -> str:
    """Return which keyword of a class's schema has changed, so that it may differ from the others; empty for none."""
    side, path = _split_place(place)
    try:
        old, new = (follow_pointer(schemas.get(side), path) for schemas in (names.old_schemas, names.new_schemas))
    except KeyError:
        return ""
    changed = next(_list_changed(old, new, make_place_pointer(place)), "")
    container, _, keyword = changed.rpartition("/")
    return f', since "{keyword}" at {container} has changed' if changed else ""


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


def _find_unshared_classes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    for (old, new), place in _list_moves(names):
        if old[1] == new[1] and not new[0]:
            text = _describe_move(names, old, new) + _explain_split(names, place)
            yield RuleMatch(text, make_place_pointer(place), *_UNSHARED_CLASS)


def _list_moves(names: PythonNamesPair) -> list[tuple[tuple[tuple[str, str], tuple[str, str]], str]]:
    """Return the modules and names of classes before and after, where they differ, each with its first place.

    See `PythonNames.places`.
    """
    moves: dict[tuple[tuple[str, str], tuple[str, str]], str] = {}
    for place, old in names.old.places.items():
        if names.new.places.get(place, old) != old:
            moves.setdefault((old, names.new.places[place]), place)
    return sorted(moves.items())


def _describe_move(names: PythonNamesPair, old: tuple[str, str], new: tuple[str, str]) -> str:
    return f"its class {_join(names.old.module, old)} is {_join(names.new.module, new)} now"


def _join(own_module: str, name: tuple[str, str]) -> str:
    return f"{name[0] or own_module}.{name[1]}"


def _find_removed_classes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    moved = {name for place, (_, name) in names.old.places.items() if place in names.new.places}
    for name in sorted(names.old.classes - names.new_classes - set(names.old.main) - moved):
        yield RuleMatch(f"its class {name} was removed", "", *_CLASS_IS_GONE)


def _find_changed_attributes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    places = {names.old.class_names[place]: place for place in names.old.fields}
    for (class_name, wire), old in names.old.attributes.items():
        new = names.new.attributes.get((class_name, wire))
        if new is not None and new != old:
            text = f'"{wire}" was {class_name}.{old}, is {class_name}.{new} now'
            yield RuleMatch(text, _make_property_pointer(places.get(class_name, ""), wire))


def _find_removed_attributes(names: PythonNamesPair) -> Iterator[RuleMatch]:
    """Find attributes that a class has lost; a class that is no longer there has a rule of its own."""
    by_class = {names.new.class_names[place]: fields for place, fields in names.new.fields.items()}
    matches: dict[str, RuleMatch] = {}
    lost = {place: {*_list_lost_properties(names, place, by_class)} for place in names.old.fields}
    for place, old_fields in names.old.fields.items():
        class_name = names.old.class_names[place]
        for wire in old_fields:
            if wire in lost[place] and wire not in lost.get(names.old.bases.get(place, ""), ()):
                text = f'{class_name}.{old_fields[wire]} is gone: the schema no longer declares "{wire}"'
                new_name = _find_new_name(names, place, wire)
                text += f', but "{new_name}" is new and has the same schema' if new_name is not None else ""
                help = _advise_keeping(names, place, wire, new_name)
                client_help = _CORRECT_USES if new_name is None else f"it may have been renamed: {_CORRECT_USES}"
                matches.setdefault(text, RuleMatch(text, _make_property_pointer(place, wire), help, client_help))
    yield from matches.values()


def _list_lost_properties(
    names: PythonNamesPair, place: str, by_class: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the wire names of the properties whose attributes the class of an object has lost."""
    new_fields = names.new.fields.get(place, by_class.get(names.old.class_names[place]))
    if new_fields is not None:
        kept = {*new_fields.values()}
        for wire, attribute in names.old.fields[place].items():
            if wire not in new_fields and attribute not in kept:
                yield wire


def _advise_keeping(names: PythonNamesPair, place: str, wire: str, new_name: str | None) -> str:
    """Return how to keep a removed property, so that `diff` reports nothing: neither its removal nor another change."""
    is_input = place.startswith("#input")
    presence = "required" if (place, wire) in names.old.required and not is_input else "optional"
    advice = f'keep "{wire}" in the schema, {presence}, until no program uses it'
    if new_name is None:
        return f"programs that use it fail; {advice}"
    rename = f'if you renamed it to "{new_name}", programs that use the old name fail'
    if is_input or place not in names.old.closed:
        return f'{rename}; {advice}, and declare "{new_name}" as well, optional'
    return f"{rename}, and readers of this closed object refuse the new one; {advice}"


def _find_new_name(names: PythonNamesPair, place: str, wire: str) -> str | None:
    """Return the new property that a removed one was perhaps renamed to: the only two with the same schema."""
    old, new = (_find_properties(schemas, place) for schemas in (names.old_schemas, names.new_schemas))
    if wire not in old:
        return None
    gained = [name for name in new.keys() - old.keys() if not any(_list_changed(old[wire], new[name], ""))]
    lost = [name for name in old.keys() - new.keys() if not any(_list_changed(old[wire], old[name], ""))]
    return gained[0] if len(gained) == len(lost) == 1 else None


def _find_properties(schemas: Mapping[str, Json], place: str) -> dict[str, Json]:
    """Return the schemas of the properties that an object declares itself, by wire name."""
    side, path = _split_place(place)
    try:
        return as_object(follow_pointer(schemas.get(side), [*path, "properties"]))
    except KeyError:
        return {}


def _make_property_pointer(place: str, wire: str) -> str:
    """Return the pointer of a property of an object, whether it is there or not; empty if the object is in none."""
    pointer = make_place_pointer(place)
    return pointer and pointer + format_pointer("properties", wire)


def _find_removed_values(names: PythonNamesPair) -> Iterator[RuleMatch]:
    """Find values that a result or resource can no longer have; those of arguments break calls, see `input`."""
    lost = {key: _list_lost_values(names, key) for key in names.old.values if not key.place.startswith("#input")}
    for key, removed in lost.items():
        base = names.old.bases.get(key.place, "")
        if removed and lost.get(key._replace(place=base)) != removed:
            class_name = names.old.class_names[key.place]
            described = class_name if key.place == ROOT_PLACE else f'"{key.wire}" of {class_name}'
            text = f"{'items of ' * key.depth}{described} can no longer be {', '.join(removed)}"
            help = _NULL_IS_GONE if removed == ["null"] else _VALUE_IS_GONE
            yield RuleMatch(text, _make_property_pointer(key.place, key.wire), *help)


def _list_lost_values(names: PythonNamesPair, key: ValuePlace) -> list[str]:
    """Return the constants that were possible at a place and no longer are, as JSON text; null is one."""
    possible = names.new.values.get(key, frozenset({"any"}))
    constants = names.old.values[key] - _KINDS
    return sorted(value for value in constants - possible if possible.isdisjoint({"any", *_find_kinds(value)}))


_KINDS = frozenset({"any", "string", "integer", "number", "boolean", "array", "object"})


def _find_kinds(constant: str) -> tuple[str, ...]:
    """Return the kinds to which a constant in JSON belongs."""
    match json.loads(constant):
        case str():
            return ("string",)
        case bool():
            return ("boolean",)
        case int():
            return ("integer", "number")
        case _:
            return ()


def _find_changed_formats(names: PythonNamesPair) -> Iterator[RuleMatch]:
    for place, old in names.old.string_types.items():
        new = names.new.string_types.get(place, old)
        if new != old:
            text = f"the strings at {place} were {old} in Python, are {new} now"
            lost = _find_lost_format(names, place)
            if lost:
                text += f', since the schema no longer declares the format "{lost}"'
                help = (f'keep "format": "{lost}" in the schema: no setting makes up for it', _CORRECT_USES)
            else:
                help = _KEEP_FORMAT
            yield RuleMatch(text, make_place_pointer(place), *help)


def _find_lost_format(names: PythonNamesPair, place: str) -> str:
    """Return the format that made the strings at a place another type than `str`, if the schema has lost it."""
    side, path = _split_place(place)
    if names.old.string_types[place] == "str":
        return ""
    pointer = format_pointer(*path, "format")
    old, new = (
        follow_pointer(schema, parse_pointer(pointer)) if has_pointer(schema, pointer) else ""
        for schema in (names.old_schemas.get(side), names.new_schemas.get(side))
    )
    return str(old) if old != new else ""


PYTHON_NAMES_RULES = (
    PythonNamesRule(
        "name-module-changed",
        Category.NAMES,
        "The module of a tool or resource has another name.",
        _find_changed_module,
    ),
    PythonNamesRule(
        "name-class-changed",
        Category.NAMES,
        "The class of a result, of arguments or of a resource has another name.",
        _find_changed_classes,
    ),
    PythonNamesRule(
        "name-class-moved",
        Category.NAMES,
        "A class inside a result, arguments or a resource has another name.",
        _find_moved_classes,
    ),
    PythonNamesRule(
        "name-class-unshared",
        Category.NAMES,
        "A class that several definitions shared belongs to one alone: the package itself no longer exports it.",
        _find_unshared_classes,
        severity=Severity.WARNING,
    ),
    PythonNamesRule(
        "name-class-removed",
        Category.NAMES,
        "A class inside a result, arguments or a resource was removed.",
        _find_removed_classes,
    ),
    PythonNamesRule(
        "name-attribute-changed",
        Category.NAMES,
        "The attribute of a property has another name, although the property still exists.",
        _find_changed_attributes,
    ),
    PythonNamesRule(
        "name-attribute-removed",
        Category.NAMES,
        "A class no longer has an attribute, because the schema no longer declares its property.",
        _find_removed_attributes,
    ),
    PythonNamesRule(
        "name-value-removed",
        Category.NAMES,
        "A result can no longer be null, or a value of an enum: handlers that still return it fail, or leave it out.",
        _find_removed_values,
        severity=Severity.WARNING,
    ),
    PythonNamesRule(
        "name-format-changed",
        Category.NAMES,
        "Strings have another type in Python: that of their format, by `formats` or `x-mcpgen`, or `str`.",
        _find_changed_formats,
    ),
)
