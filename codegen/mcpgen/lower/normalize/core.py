"""Data model of the core language: JSON Schemas of the few forms that Python types express exactly; and a record of
where it says less than a schema.

Its forms: `type`, `enum`, `anyOf`, `$ref` to a class or an alias, bounds, `items`, closed `prefixItems`,
`properties` that are all required, `additionalProperties`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from mcpgen.ir.types import Presence
from mcpgen.lower.request import LoweringLimits
from mcpgen.schema.keywords import CHECKED_KEYWORDS, DEFINITION_KEYWORDS, is_vacuous
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, parse_pointer

Core: TypeAlias = dict[str, Json]
"""A schema in the core language."""
ANY_CORE: Core = {}
EVERY_TYPE: tuple[Core, ...] = (
    {"type": "object", "additionalProperties": {}},
    {"type": "array", "items": {}},
    {"type": "boolean"},
    {"type": "null"},
    {"type": "number"},
    {"type": "string"},
)
"""The types of all JSON values, as members of a union."""
MAX_SAFE_INTEGER = 2**53
"""Larger numbers are left to the exact check, because the type generator reads numbers as floats."""


class SchemaPlace(NamedTuple):
    """A place in a schema where a type is needed."""

    pointer: str
    without: frozenset[str] = frozenset()
    """Keywords there that count as absent, because other places represent them."""
    merged: frozenset[str] = frozenset()
    """The `anyOf` and `oneOf` there whose branches are conditions of one class, not members of a union."""


class SchemaPart(NamedTuple):
    """A schema object that a type has to satisfy, with the place where it stands."""

    place: SchemaPlace
    schema: dict[str, Json]

    @property
    def properties(self) -> dict[str, Json]:
        """The schemas of its declared properties."""
        return as_object(self.schema.get("properties"))

    @property
    def required(self) -> list[str]:
        """The names that it requires."""
        return [str(name) for name in as_array(self.schema.get("required"))]

    def locate(self, *path: str) -> SchemaPlace:
        """Return the place of a schema inside it."""
        return SchemaPlace(self.place.pointer + format_pointer(*path))

    def list_branches(self, keyword: str) -> list[SchemaPlace]:
        """Return the places of the schemas in a list such as its `anyOf`."""
        branches = as_array(self.schema.get(keyword))
        return [SchemaPlace(f"{self.place.pointer}/{keyword}/{index}") for index in range(len(branches))]


Places: TypeAlias = tuple[SchemaPlace, ...]
Parts: TypeAlias = tuple[SchemaPart, ...]


@dataclass(frozen=True)
class CoreProperty:
    """A declared property."""

    wire: str
    core: Core
    presence: Presence
    description: str


@dataclass
class CoreClass:
    """An object with declared properties, which becomes a class."""

    key: str
    pointer: str
    properties: list[CoreProperty] = field(default_factory=list[CoreProperty])
    extra: Core | None = None
    """The type of undeclared properties, None where there can be none."""
    description: str = ""
    places: Places = ()
    tag: str = ""
    """The constant that distinguishes this member of a union from its siblings; used in its name."""


@dataclass(frozen=True)
class CoreAlias:
    """A recursive type that is not a class."""

    places: Places
    core: Core


@dataclass
class NormalizedSchema:
    """A schema in the core language. `root` and all that is in it refers to classes and aliases by `#/$defs/<key>`."""

    root: Core
    classes: dict[str, CoreClass]
    aliases: dict[str, CoreAlias]
    definitions: dict[str, CoreAlias]
    """Types of definitions that are not classes. Nothing refers to these keys; wherever such a type is used, it is the
    same object."""
    checks: list[str]
    """Keywords that the types do not fully express."""
    notes: list[tuple[str, str]]
    """(JSON pointer, sentence) for each type that is any JSON value although the schema constrains it."""
    description: str

    def list_cores(self) -> list[Core]:
        """Return all types: of its root, its aliases and definitions, and the properties of its classes."""
        cores = [self.root, *(alias.core for alias in (self.aliases | self.definitions).values())]
        for core_class in self.classes.values():
            cores += [prop.core for prop in core_class.properties]
            cores += [] if core_class.extra is None else [core_class.extra]
        return cores

    @cached_property
    def definition_keys(self) -> dict[int, str]:
        """The keys of definitions, by the `id` of their types."""
        return {id(alias.core): key for key, alias in self.definitions.items()}


def is_definition(place: SchemaPlace) -> bool:
    """Report whether a place is that of a whole definition at the root."""
    path = parse_pointer(place.pointer)
    return not place.without and len(path) == 2 and path[0] in DEFINITION_KEYWORDS


def make_reference(key: str) -> Core:
    """Return a reference to the class or alias with this key."""
    return {"$ref": f"#/$defs/{key}"}


def get_reference(core: Core) -> str | None:
    """Return the key of the class or alias that a type is a reference to, None if it is none."""
    ref = core.get("$ref")
    return ref.removeprefix("#/$defs/") if isinstance(ref, str) else None


def list_members(core: Core) -> list[Core]:
    """Return the members of a union, those of unions inside it too; a type that is not a union is its own."""
    members = core.get("anyOf")
    if not isinstance(members, list):
        return [core]
    return [part for member in members if isinstance(member, dict) for part in list_members(member)]


def list_parts(core: Core) -> list[Core]:
    """Return the types directly inside a type."""
    parts: list[Core] = []
    for keyword in ("anyOf", "prefixItems", "items", "additionalProperties"):
        value = core.get(keyword)
        parts += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]
    return parts


def list_direct_references(core: Core) -> list[str]:
    """Return the keys of the classes and aliases that a type refers to outside of arrays and objects."""
    return [key for member in list_members(core) if (key := get_reference(member)) is not None]


def iterate_references(core: Core) -> Iterator[str]:
    """Yield the keys of the classes and aliases that a type refers to, anywhere in it, in order."""
    if (key := get_reference(core)) is not None:
        yield key
    for part in list_parts(core):
        yield from iterate_references(part)


def make_union(members: list[Core]) -> Core:
    """Return the union of at least one type."""
    return members[0] if len(members) == 1 else {"anyOf": list[Json](members)}


def join_alternatives(members: Iterable[Core]) -> Core:
    """Return the union of some types. If one of them is "any value", only those remain beside it that lead to a class.

    The core language has no "any value" in a union: all JSON types take its place (see `assemble.separate_general`).
    """
    flat = remove_duplicates(part for member in members for part in list_members(member))
    if ANY_CORE not in flat:
        return make_union(flat)
    classes = [member for member in flat if any(iterate_references(member))]
    return make_union(remove_duplicates([*classes, *EVERY_TYPE])) if classes else ANY_CORE


def is_any_container(core: Core) -> bool:
    """Report whether a type accepts any value, any array or any object."""
    return core == ANY_CORE or core == EVERY_TYPE[0] or (core.get("type") == "array" and core.get("items") == ANY_CORE)


def remove_duplicates(cores: Iterable[Core]) -> list[Core]:
    """Return the types that are not equal to an earlier one."""
    by_text: dict[str, Core] = {}
    for core in cores:
        by_text.setdefault(json.dumps(core, sort_keys=True), core)
    return [*by_text.values()]


class NormalizationFindings:
    """Collects the keywords that need the exact check, and notes for the user."""

    def __init__(self, limits: LoweringLimits) -> None:
        self._limits = limits
        self._checks: dict[str, None] = {}
        self._notes: dict[str, str] = {}

    @property
    def checks(self) -> list[str]:
        """Keywords that the types do not express, sorted."""
        return sorted(self._checks)

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Notes, as JSON pointer and sentence, at most one for each pointer."""
        return [*self._notes.items()]

    def require_check(self, *keywords: str) -> None:
        """Record that the types do not fully express these keywords."""
        self._checks.update(dict.fromkeys(keywords))

    def require_checks_in(self, parts: Parts) -> None:
        """Record the keywords of some parts that no type can express."""
        for part in parts:
            for keyword, value in part.schema.items():
                if keyword in CHECKED_KEYWORDS and not is_vacuous(keyword, value):
                    self.require_check("dynamicRef" if keyword == "$dynamicRef" else keyword)

    def widen_to_any(self, pointer: str, keyword: str, reason: str = "") -> Core:
        """Return the type of any value; a note at the pointer says why, by default that there is no value at all."""
        self.require_check(keyword)
        reason = reason or f'"{keyword}" leaves no value here'
        self._notes.setdefault(pointer, f"{reason}, so the type is that of any JSON value")
        return ANY_CORE

    def leave_out_members(self, pointer: str, keyword: str, amount: str) -> None:
        """Record that a keyword has more members than a type may have, such as `2000 values`."""
        self.require_check(keyword)
        self._notes.setdefault(
            pointer, f"{amount} are more than {self._limits.members} (`limits.members`), so the type does not say them"
        )
