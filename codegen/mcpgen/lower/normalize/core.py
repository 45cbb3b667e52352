"""The core language that types can say exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.ir.types import Presence
from mcpgen.lower.normalize.bounds import Core

SchemaPlace: TypeAlias = tuple[str, frozenset[str]]
"""A JSON pointer, and the keywords there that count as absent because they were taken apart already."""


ANY_CORE: Core = {}


MAX_SAFE_INTEGER = 2**53
"""Bounds beyond this are left to the exact check: they pass through floats on the way."""


@dataclass(frozen=True)
class CoreProperty:
    """A declared property: its type as `Core`, and where it was declared."""

    wire: str
    core: Core
    presence: Presence
    description: str


@dataclass
class ObjectShape:
    """An object with declared properties. `extra`: the type of the others, None when there are none."""

    key: str
    pointer: str
    properties: list[CoreProperty] = field(default_factory=list[CoreProperty])
    extra: Core | None = None
    description: str = ""
    places: tuple[SchemaPlace, ...] = ()
    tag: str = ""
    """The constant that tells this member of a union from its siblings, for its name."""


@dataclass
class NormalizedSchema:
    """A whole schema: `root` refers to `shapes` and `aliases` by `#/$defs/<key>`."""

    root: Core
    shapes: dict[str, ObjectShape]
    aliases: dict[str, tuple[tuple[SchemaPlace, ...], Core]]
    """Key → (places, type) of recursive definitions that are no objects with properties."""
    checks: list[str]
    notes: list[tuple[str, str]]
    description: str


NATIVE_FORMATS = ("date-time", "date", "time", "uuid")
"""The formats that have a Python type of their own under `formats = "native"`."""


def make_reference(key: str) -> Core:
    """Return a reference to the definition with this key."""
    return {"$ref": f"#/$defs/{key}"}


def list_direct_references(core: Core) -> list[str]:
    """The definitions that a type refers to without an array or object between."""
    ref, members = core.get("$ref"), core.get("anyOf")
    if isinstance(ref, str):
        return [ref.removeprefix("#/$defs/")]
    if not isinstance(members, list):
        return []
    return [key for member in members if isinstance(member, dict) for key in list_direct_references(member)]
