"""Types of values, and the classes and aliases that they refer to: frozen nodes of a closed set."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from mcpgen.schema.formats import NATIVE_FORMATS

Bound: TypeAlias = tuple[str, int | float]
"""Constraint: its name in pydantic's `Field` (`ge`, `lt`, `min_length`, …) and its value."""


class ScalarKind(StrEnum):
    """Scalar types of JSON Schema, `ANY` for every JSON value, and formats of strings with a Python type."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    ANY = "any"
    BASE64 = "base64"
    DATE_TIME = "date-time"
    DATE = "date"
    TIME = "time"
    UUID = "uuid"
    IPV4 = "ipv4"
    IPV6 = "ipv6"


NATIVE_KINDS = tuple(ScalarKind(name) for name in NATIVE_FORMATS)
"""Formats of strings that have a strict Python type."""


@dataclass(frozen=True, kw_only=True)
class Nameable:
    """Type that a definition may name. The name only changes how it is printed."""

    alias: str | None = field(default=None, compare=False)
    """Id of the alias that has this type, apart from null: the annotation prints its name."""


@dataclass(frozen=True)
class Scalar(Nameable):
    """Scalar, or any JSON value, with its bounds."""

    kind: ScalarKind
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class Choice(Nameable):
    """One of some constants (`enum` and `const`): strings, integers, booleans or null."""

    values: tuple[str | int | bool | None, ...]


@dataclass(frozen=True)
class Array(Nameable):
    """List whose items have one type."""

    item: Type
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class FixedArray(Nameable):
    """Tuple: exactly the items of `prefixItems`."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Map(Nameable):
    """Object without declared properties, whose values have one type."""

    value: Type


@dataclass(frozen=True)
class Union(Nameable):
    """One of several types; `tag` is the wire name of the property that tells the members apart, None without one."""

    members: tuple[Type, ...]
    tag: str | None = None


@dataclass(frozen=True)
class Ref:
    """Reference to a class or a recursive alias, by its id."""

    id: str


Type: TypeAlias = Scalar | Choice | Array | FixedArray | Map | Union | Ref
ANY = Scalar(ScalarKind.ANY)
NULL = Scalar(ScalarKind.NULL)


class Presence(StrEnum):
    """Presence of a property: required, optional (None: absent), or optional with null as a value (None: null)."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    OPTIONAL_NULLABLE = "optional_nullable"


@dataclass(frozen=True)
class Field:
    """Property of an object: its wire name, and its type without the None that stands for absence."""

    wire: str
    type: Type
    presence: Presence
    description: str = ""
    default: str | int | None = None
    """Default of a required property when an instance is constructed (only in types of the protocol)."""


class NameOrigin(StrEnum):
    """Source of the best name of a class: the user, a title or the key of a definition, or its place."""

    CHOSEN = "chosen"
    GIVEN = "given"
    PATH = "path"

    @property
    def rank(self) -> int:
        """Its place in the order from the best to the worst."""
        return [*NameOrigin].index(self)


@dataclass(frozen=True)
class Sharing:
    """Data by which equal classes and aliases are found and named."""

    digest: str
    """Hash of the schema's content and of everything that it refers to."""
    given: str
    """Title or key of its definition; empty: it has none."""
    tail: tuple[str, ...]
    """Last words of its path, from the last property on."""


@dataclass(frozen=True)
class ObjectClass:
    """Object with declared properties. `extra` is the type of undeclared properties, None if there can be none.

    `pointer` is the JSON pointer of its schema; `name_candidates` are lists of words, the best first.
    """

    id: str
    pointer: str
    name_candidates: tuple[tuple[str, ...], ...]
    fields: tuple[Field, ...]
    extra: Type | None
    description: str = ""
    name_origin: NameOrigin = NameOrigin.PATH
    sharing: Sharing | None = None
    """None: it depends on its place, so it cannot be shared."""
    base: Ref | None = None
    """The class of a definition that this one inherits all its properties from: a root that only refers to it."""


@dataclass(frozen=True)
class Alias:
    """Type other than an object with properties: a recursive one, or one that a definition names."""

    id: str
    pointer: str
    name_candidates: tuple[tuple[str, ...], ...]
    type: Type
    name_origin: NameOrigin = NameOrigin.PATH
    description: str = ""
    recursive: bool = True
    """True: types refer to it by `Ref`. False: types have a copy of its type, whose `alias` is its id."""
    sharing: Sharing | None = None
    """None: it depends on its place, so it cannot be shared."""


Node: TypeAlias = ObjectClass | Alias
