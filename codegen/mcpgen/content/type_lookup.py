"""Types of values in a template: join them, look up the classes of references, take types apart into atoms.

An atom is a type that is neither a union nor an alias. Constants are one atom for each kind of value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard, assert_never

from mcpgen.ir.template import ConstantValue, KeyValuePair, Markup, Stream, TemplateType
from mcpgen.ir.types import (
    ANY,
    NULL,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Union,
)
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names

STRING, INTEGER, NUMBER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NUMBER)
BOOLEAN = Scalar(ScalarKind.BOOLEAN)
ALL_TYPES = (STRING, INTEGER, NUMBER, BOOLEAN, NULL, Array(ANY), Map(ANY))
"""One type for each kind of JSON value."""
NUMERIC_KINDS = frozenset(("integer", "number"))
PRINTABLE_KINDS = frozenset(("string", "integer", "number", "boolean", "null"))
_SCALARS_BY_CLASS: dict[type[object], Scalar] = {str: STRING, bool: BOOLEAN, int: INTEGER, float: NUMBER}
_NAMES_BY_KIND = {
    ScalarKind.STRING: "string",
    ScalarKind.INTEGER: "integer",
    ScalarKind.NUMBER: "number",
    ScalarKind.BOOLEAN: "boolean",
    ScalarKind.NULL: "null",
    ScalarKind.ANY: "value",
}
_KIND_DESCRIPTIONS = {
    "null": "null",
    "array": "a list",
    "object": "an object",
    "integer": "an integer",
    "value": "any JSON value",
}


def is_json(type: TemplateType) -> TypeGuard[JsonType]:
    """Return whether values of a type are JSON values, not generators or other types that only templates have."""
    return not isinstance(type, Stream | KeyValuePair | Markup)


def get_literal_type(value: ConstantValue) -> JsonType:
    """Return the type of a literal."""
    if value is None:
        return NULL
    return NUMBER if isinstance(value, float) else Choice((value,))


def get_scalar_type(value: ConstantValue) -> Scalar:
    """Return the scalar type of a constant."""
    return NULL if value is None else _SCALARS_BY_CLASS[value.__class__]


def widen_type(type: JsonType) -> JsonType:
    """Replace constants by their scalar types, as for a variable that starts with a literal."""
    if isinstance(type, Choice):
        return join_types(*map(get_scalar_type, type.values))
    return type


def join_types(*types: JsonType) -> JsonType:
    """Return a type for the values of any of some types; the bounds of scalars are dropped."""
    members: list[JsonType] = []
    for type in types:
        members += type.members if isinstance(type, Union) else (type,)
    if ANY in members:
        return ANY
    constants = [value for member in members if isinstance(member, Choice) for value in member.values]
    joined: list[JsonType] = list(
        dict.fromkeys(drop_bounds(member) for member in members if not isinstance(member, Choice))
    )
    uncovered = [value for value in constants if get_scalar_type(value) not in joined]
    if uncovered:
        joined = [Choice(tuple({(value.__class__, value): value for value in uncovered}.values())), *joined]
    return joined[0] if len(joined) == 1 else Union(tuple(joined))


def drop_bounds(type: JsonType) -> JsonType:
    """Return a scalar type without its bounds, any other type unchanged."""
    return Scalar(type.kind) if isinstance(type, Scalar) else type


@dataclass(frozen=True)
class TypeLookup:
    """Classes and aliases by their ids, for questions about types that refer to them."""

    nodes: Mapping[str, Node]

    def get_class(self, type: JsonType) -> ObjectClass | None:
        """Return the class of a reference, None for any other type."""
        node = self.nodes.get(type.id) if isinstance(type, Ref) else None
        return node if isinstance(node, ObjectClass) else None

    def get_fields(self, type: JsonType) -> dict[str, Field]:
        """Return the properties of a class by their Python names."""
        owner = self.get_class(type)
        if owner is None:
            return {}
        names = make_field_names(owner.fields)
        return {names[field.wire]: field for field in owner.fields}

    def has_required(self, atom: JsonType) -> bool:
        """Return whether an object always has some property, so that it is never empty."""
        owner = self.get_class(atom)
        return owner is not None and any(field.presence is Presence.REQUIRED for field in owner.fields)

    def split_atoms(self, type: JsonType) -> tuple[JsonType, ...]:
        """Return the atoms of a type, each once."""
        return tuple(dict.fromkeys(self._iterate_atoms(type, frozenset())))

    def _iterate_atoms(self, type: JsonType, open_aliases: frozenset[str]) -> Iterator[JsonType]:
        match type:
            case Union(members=members):
                for member in members:
                    yield from self._iterate_atoms(member, open_aliases)
            case Ref(id=key):
                node = self.nodes.get(key)
                if not isinstance(node, Alias):
                    yield type
                elif key not in open_aliases:
                    yield from self._iterate_atoms(node.type, open_aliases | {key})
            case Choice(values=values):
                yield from _split_constants(values)
            case _:
                yield type

    def get_kind(self, atom: JsonType) -> str:
        """Return JSON's name for the values of an atom (`string`, …, `array`, `object`), `value` for any value."""
        match atom:
            case Scalar(kind=kind):
                return _NAMES_BY_KIND.get(kind, "string")
            case Choice(values=values):
                return _NAMES_BY_KIND[get_scalar_type(values[0]).kind]
            case Array() | FixedArray():
                return "array"
            case Map() | Ref():
                return "object"
            case Union():
                raise AssertionError("a union is not an atom")
            case _:
                assert_never(atom)

    def collect_kinds(self, type: TemplateType) -> frozenset[str]:
        """Return the kinds of a type's atoms; `generator` for types that only templates have."""
        if not is_json(type):
            return frozenset(("generator",))
        return frozenset(map(self.get_kind, self.split_atoms(type)))

    def has_only_kinds(self, type: TemplateType, kinds: Iterable[str]) -> TypeGuard[JsonType]:
        """Return whether all values of a type are of these kinds."""
        return is_json(type) and self.collect_kinds(type) <= frozenset(kinds)

    def describe_type(self, type: TemplateType) -> str:
        """Describe a type in a message."""
        match type:
            case Stream():
                return "a generator"
            case KeyValuePair():
                return "a pair of key and value"
            case Markup():
                return "the result of `tojson`"
            case _:
                kinds = map(self.get_kind, self.split_atoms(type))
                return " or ".join(dict.fromkeys(_KIND_DESCRIPTIONS.get(kind, f"a {kind}") for kind in kinds))

    def map_atoms(self, type: JsonType, change: Callable[[JsonType], JsonType | None]) -> JsonType:
        """Join what `change` returns for each atom, None removing it; a type of which nothing is left stays as is."""
        atoms = self.split_atoms(type)
        changed = [result for atom in atoms if (result := change(atom)) is not None]
        if tuple(changed) == atoms or not changed:
            return type
        return join_types(*changed)


def _split_constants(values: Iterable[str | int | bool | None]) -> Iterator[JsonType]:
    by_class: dict[type[object], list[str | int | bool | None]] = {}
    for value in values:
        by_class.setdefault(value.__class__, []).append(value)
    for constants in by_class.values():
        yield NULL if constants == [None] else Choice(tuple(constants))
