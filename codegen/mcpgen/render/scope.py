"""The classes and aliases that a module can refer to, and what their annotations admit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mcpgen.ir.types import Alias, Array, Choice, FixedArray, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union
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
        return any(_admits_none(part) for part in list_alternatives(node, self.nodes))

    def is_array(self, node: Type) -> bool:
        """Check whether every value of a type is an array."""
        return all(isinstance(part, Array | FixedArray) for part in list_alternatives(node, self.nodes))


def list_alternatives(node: Type, nodes: Mapping[str, Node]) -> list[Type]:
    """Return the types of which every value of a type has one: no unions, and no aliases among these nodes."""
    found, parts, entered = list[Type](), [node], set[str]()
    for part in parts:  # grows during the loop
        target = nodes.get(part.id) if isinstance(part, Ref) else None
        if isinstance(part, Union):
            parts += part.members
        elif isinstance(target, Alias):
            parts += [target.type] if target.id not in entered else []
            entered.add(target.id)
        else:
            found.append(part)
    return found


def is_any(node: Type) -> bool:
    """Check whether every JSON value is of the type."""
    return isinstance(node, Scalar) and node.kind is ScalarKind.ANY


def _admits_none(node: Type) -> bool:
    match node:
        case Scalar(kind=kind):
            return kind in (ScalarKind.NULL, ScalarKind.ANY)
        case Choice(values=values):
            return None in values
        case _:
            return False
