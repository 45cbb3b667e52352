"""Python names under which programs import and use the code generated for one tool or resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

ROOT_PLACE = "#"
"""Place of a result or resource as a whole."""


class ValuePlace(NamedTuple):
    """Place of an object, and wire name of a property; the name is empty at `ROOT_PLACE`."""

    place: str
    wire: str
    depth: int = 0
    """0 for the property itself, 1 for its items or the values of its map, and so on."""


_SCHEMA_POINTERS = {"#input": "/inputSchema", "#output": "/outputSchema", "#resource": "/x-mcpgen/schema"}


def make_place_pointer(place: str) -> str:
    """Return the JSON pointer, into the definition, of a place in its schemas; empty if the place is in none."""
    side, slash, rest = place.partition("/")
    pointer = _SCHEMA_POINTERS.get(side.removesuffix(":"))
    return "" if pointer is None else pointer + slash + rest


@dataclass(frozen=True)
class PythonNames:
    """Names of one generated module, its classes and their attributes."""

    module: str
    main: tuple[str, ...]
    """Root classes, in a fixed order: those of the result and the arguments, or that of the resource."""
    classes: frozenset[str]
    """All classes of the module."""
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
