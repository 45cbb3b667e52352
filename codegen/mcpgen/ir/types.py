"""What the generator knows about a package before any text exists: frozen nodes, closed variants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Bound: TypeAlias = tuple[str, int | float]
"""A constraint as pydantic's `Field` names it (`ge`, `lt`, `min_length`, …) and its value."""


class ScalarKind(StrEnum):
    """The scalar types of JSON Schema, the JSON value of which nothing is said, and strings with a Python type."""

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


@dataclass(frozen=True)
class Scalar:
    """A scalar or the JSON value, with the bounds that hold for it."""

    kind: ScalarKind
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class Choice:
    """`enum` and `const`: one of these strings, integers, booleans or null."""

    values: tuple[str | int | bool | None, ...]


@dataclass(frozen=True)
class Array:
    """A list of `item`."""

    item: Type
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class FixedArray:
    """A closed tuple: `prefixItems` with nothing before or after."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Map:
    """An object without declared properties, each value a `value`."""

    value: Type


@dataclass(frozen=True)
class Union:
    """One of several; `tag` is the wire name of a property that tells the members apart, if one does."""

    members: tuple[Type, ...]
    tag: str | None = None


@dataclass(frozen=True)
class Ref:
    """A class or a recursive alias, by its id."""

    id: str


Type: TypeAlias = Scalar | Choice | Array | FixedArray | Map | Union | Ref
ANY = Scalar(ScalarKind.ANY)


class Presence(StrEnum):
    """Whether a property may be absent and what None then means (DESIGN section 2, "Absent and null")."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    OPTIONAL_NULLABLE = "optional_nullable"


@dataclass(frozen=True)
class Field:
    """A property of an object: its wire name and its type without the None that stands for absence."""

    wire: str
    type: Type
    presence: Presence
    description: str = ""
    default: str | int | None = None
    """A value that a required property has when construction names none (the protocol's own types only)."""


@dataclass(frozen=True)
class ObjectClass:
    """An object with declared properties. `extra` is the type of the others, None when there are none.

    `pointer` is where it stands in its schema; `words` are the naming candidates, shortest first.
    """

    id: str
    pointer: str
    words: tuple[tuple[str, ...], ...]
    fields: tuple[Field, ...]
    extra: Type | None
    description: str = ""


@dataclass(frozen=True)
class Alias:
    """A recursive type that is no object with properties, such as a tree of lists."""

    id: str
    pointer: str
    words: tuple[tuple[str, ...], ...]
    type: Type


Node: TypeAlias = ObjectClass | Alias
