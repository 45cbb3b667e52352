"""Class names from `types` of the settings: `"get-weather#output/properties/wind" = "WindReading"`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.read.choices import is_class_name
from mcpgen.read.definitions import SIDE_POINTERS, Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.idle_settings import DefinitionKind, UnknownName, warn_about_unknown_name
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, format_pointer, has_pointer, parse_pointer
from mcpgen.words import NameGuesser

_KEY = re.compile(r"(?P<name>.*)#(?P<side>input|output|error|resource)(?P<pointer>(/.*)?)", re.DOTALL)
_REMOVAL = "correct the path, or remove the line if the schema no longer has this part"
_EXAMPLE = 'write it as "get-weather#output/properties/wind" = "WindReading"'
TypedT = TypeVar("TypedT", ToolDefinition, ResourceDefinition)


def apply_type_settings(definitions: Definitions, package: ConfiguredPackage, findings: Findings) -> None:
    """Add the class names of the settings to the definitions; names and places that are wrong are reported."""
    if package.settings.types:
        _TypeSettings(definitions, package, findings).apply()


class _TypeSettings:
    def __init__(self, definitions: Definitions, package: ConfiguredPackage, findings: Findings) -> None:
        self._definitions, self._package, self._findings = definitions, package, findings
        self._schemas: dict[str, dict[str, dict[str, Schema | None]]] = {
            "tool": {tool.name: {**dict.fromkeys(SIDE_POINTERS), **tool.schemas} for tool in definitions.tools},
            "resource": {resource.name: {"resource": resource.payload} for resource in definitions.resources},
        }
        self._keys: dict[tuple[bool, str], dict[str, str]] = {}
        """Whether it is a resource, and its name → the side and pointer of each named class, and the key for it."""
        self._guesser = NameGuesser()
        self._has_errors = findings.failed

    def apply(self) -> None:
        for key, name in self._package.settings.types.items():
            self._read_entry(key, name)
        self._definitions.tools = [self._add_names(tool, False) for tool in self._definitions.tools]
        self._definitions.resources = [self._add_names(resource, True) for resource in self._definitions.resources]

    def _add_names(self, definition: TypedT, is_resource: bool) -> TypedT:
        keys = self._keys.get((is_resource, definition.name))
        if keys is None:
            return definition
        names = {place: self._package.settings.types[key] for place, key in keys.items()}
        return replace(definition, class_names=definition.class_names | names, type_settings=keys)

    def _read_entry(self, key: str, name: str) -> None:
        match = _KEY.fullmatch(key)
        if match is None:
            self._report("MG302", key, f'"types.{key}" names no place in a schema', _EXAMPLE)
            return
        if not is_class_name(name):
            help = "class names are ASCII identifiers that begin with a capital letter"
            self._report("MG202", key, f'"{name}" cannot name a class', help)
            return
        definition, side, pointer = match["name"], match["side"], match["pointer"]
        schema = self._find_schema(key, definition, side)
        if schema is None:
            return
        if not pointer:
            help = "choose the Python name of the tool or resource: `name` in its table, or in its `x-mcpgen`"
            self._report("MG302", key, f'"{key}" is the root, whose class is named after the definition', help)
            return
        place = find_named_place(schema, pointer)
        if place is None:
            help = self._suggest_pointer(schema, pointer)
            self._report("MG302", key, f'"{definition}" has nothing at #{side}{pointer}', help)
            return
        keys = self._keys.setdefault((side == "resource", definition), {})
        earlier_key = keys.setdefault(f"#{side}{place}", key)
        if (earlier_name := self._package.settings.types[earlier_key]) != name:
            self._report("MG201", key, f'"{earlier_key}" names the same class {earlier_name}', "")

    def _find_schema(self, key: str, name: str, side: str) -> Schema | None:
        kind: DefinitionKind = "resource" if side == "resource" else "tool"
        schemas = self._schemas[kind]
        if name not in schemas:
            if not self._has_errors:  # which may have hidden it
                unknown = UnknownName(kind, name, ("types", key))
                warn_about_unknown_name(unknown, [*schemas], self._package, self._guesser, self._findings)
            return None
        schema = schemas[name][side]
        if schema is None:
            self._report("MG302", key, f'"{name}" declares no schema for #{side}', "remove the line")
        return schema

    def _suggest_pointer(self, schema: Schema, pointer: str) -> str:
        path = parse_pointer(pointer)
        for length in range(len(path) - 1, -1, -1):
            place = find_named_place(schema, format_pointer(*path[:length]), follow_last=False)
            if place is not None:
                members = as_object(follow_pointer(schema.value, parse_pointer(place)))
                close = self._guesser.guess(path[length], sorted(members))
                return f'did you mean "{close}" instead of "{path[length]}"?' if close else _REMOVAL
        return _REMOVAL

    def _report(self, code: str, key: str, message: str, help: str) -> None:
        self._findings.error(code, message, locate_setting(self._package, ("types", key)), help)


def find_named_place(schema: Schema, pointer: str, follow_last: bool = True) -> str | None:
    """Return the pointer of the schema that a class is made from, None if there is nothing at a pointer.

    References on the way are followed, and so is one at the end, or a union of a schema and null, if `follow_last`.
    """
    index = SchemaIndex(schema.value, schema.dialect)
    place = ""
    for token in parse_pointer(pointer):
        value = index.get(place)
        if isinstance(value, dict) and token not in value:
            place = _follow(index, place)
        place += format_pointer(token)
        if not has_pointer(schema.value, place):
            return None
    return _follow(index, place) if follow_last else place


def _follow(index: SchemaIndex, place: str) -> str:
    """Return the end of a chain of references and of unions with null."""
    visited: set[str] = set()
    while place not in visited:
        visited.add(place)
        next_place = _find_only_member(index, place, as_object(index.get(place)))
        if next_place is None:
            return place
        place = next_place
    return place


def _find_only_member(index: SchemaIndex, place: str, value: dict[str, Json]) -> str | None:
    if isinstance(value.get("$ref"), str) and "properties" not in value:
        return index.find_referred(place)
    for keyword in ("anyOf", "oneOf"):
        members = [
            f"{place}/{keyword}/{number}"
            for number, member in enumerate(as_array(value.get(keyword)))
            if as_object(member).get("type") != "null"
        ]
        if len(members) == 1 and "properties" not in value:
            return members[0]
    return None
