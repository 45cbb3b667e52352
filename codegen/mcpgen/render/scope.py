"""The classes and aliases that a module can refer to, and what their annotations admit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from mcpgen.ir.types import (
    Alias,
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.ir.visitors import RecursiveUnions
from mcpgen.names.identifiers import make_field_names


@dataclass(frozen=True)
class Scope:
    """Classes and aliases that a module can refer to: their names there and their nodes, by id."""

    names: Mapping[str, str]
    nodes: Mapping[str, Node]
    typed_dicts: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    """The names of the TypedDicts of classes, and of the aliases over those."""
    reserved: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict[str, frozenset[str]])
    """Names that a class's attributes may not take, by the id of the class."""

    @cached_property
    def recursive_unions(self) -> RecursiveUnions:
        """The unions of these nodes that contain themselves."""
        return RecursiveUnions(self.nodes)

    def get_attribute_names(self, node: ObjectClass) -> dict[str, str]:
        """Return the Python name of each property of an object, by wire name."""
        return make_field_names(node.fields, self.reserved.get(node.id, frozenset()))

    def get_class(self, node: Type) -> ObjectClass | None:
        """Return the class that a type refers to, None for other types."""
        target = self.nodes.get(node.id) if isinstance(node, Ref) else None
        return target if isinstance(target, ObjectClass) else None

    def refers_to_alias(self, node: Type) -> bool:
        """Check whether a type refers to an alias."""
        return isinstance(node, Ref) and isinstance(self.nodes.get(node.id), Alias)

    def render_alias(self, node: Type) -> str:
        """Return the name of the definition that a type comes from, with None where only the type has that, else ""."""
        target = None if isinstance(node, Ref) or node.alias is None else self.nodes.get(node.alias)
        if not isinstance(target, Alias):
            return ""
        name = self.names[target.id]
        return f"{name} | None" if self.admits_none(node) and not self.admits_none(target.type) else name

    def admits_none(self, node: Type) -> bool:
        """Check whether None is a value of the type's annotation."""
        match node:
            case Scalar(kind=kind):
                return kind in (ScalarKind.NULL, ScalarKind.ANY)
            case Choice(values=values):
                return None in values
            case Union(members=members):
                return any(self.admits_none(member) for member in members)
            case Ref(id=node_id):
                target = self.nodes.get(node_id)
                return isinstance(target, Alias) and self._alias_admits_none(target, {node_id})
            case Array() | FixedArray() | Map():
                return False
            case _:
                assert_never(node)

    def is_array(self, node: Type, entered: frozenset[str] = frozenset()) -> bool:
        """Check whether every value of a type is an array; `entered` are the aliases that it is inside of."""
        match node:
            case Array() | FixedArray():
                return True
            case Union(members=members):
                return all(self.is_array(member, entered) for member in members)
            case Ref(id=node_id) if node_id not in entered:
                target = self.nodes.get(node_id)
                return isinstance(target, Alias) and self.is_array(target.type, entered | {node_id})
            case _:
                return False

    def _alias_admits_none(self, alias: Alias, entered: set[str]) -> bool:
        members = alias.type.members if isinstance(alias.type, Union) else (alias.type,)
        return any(
            not (isinstance(member, Ref) and member.id in entered) and self.admits_none(member) for member in members
        )
