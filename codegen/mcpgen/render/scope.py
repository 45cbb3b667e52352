"""Render Python expressions for types: annotations, and the JSON value of a typed value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from mcpgen.ir.recursive_unions import RecursiveUnions
from mcpgen.ir.types import (
    Alias,
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.ir.visitors import collect_refs, walk_type
from mcpgen.literals import make_literal
from mcpgen.names.identifiers import make_field_names

SCALAR_NAMES = {
    ScalarKind.STRING: "String",
    ScalarKind.INTEGER: "Integer",
    ScalarKind.NUMBER: "Number",
    ScalarKind.BOOLEAN: "Boolean",
    ScalarKind.NULL: "None",
    ScalarKind.ANY: "JsonValue",
    ScalarKind.BASE64: "Base64",
    ScalarKind.DATE_TIME: "DateTime",
    ScalarKind.DATE: "Date",
    ScalarKind.TIME: "Time",
    ScalarKind.UUID: "Uuid",
}


NULL = Scalar(ScalarKind.NULL)


PLAIN_KINDS = frozenset({ScalarKind.STRING, ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL})
"""Scalars whose Python value is the JSON value."""


MAX_UNION_MEMBERS = 100
"""The most members of a union that are joined without brackets."""


@dataclass(frozen=True)
class Scope:
    """Classes and aliases that a module can refer to: their names there and their nodes, by id."""

    names: Mapping[str, str]
    nodes: Mapping[str, Node]
    twins: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    """The names of the TypedDicts of classes, and of the aliases over those."""
    reserved: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict[str, frozenset[str]])
    """Names that a class's attributes may not take, by the id of the class."""

    @cached_property
    def _recursive_unions(self) -> RecursiveUnions:
        return RecursiveUnions(self.nodes)

    def get_attribute_names(self, node: ObjectClass) -> dict[str, str]:
        """Return the Python name of each property of an object, by wire name."""
        return make_field_names(node.fields, self.reserved.get(node.id, frozenset()))

    def render_annotation(self, node: Type) -> str:
        """Return the annotation of a type for pydantic and the type checkers."""
        return render_annotated(*self.split_annotation(node))

    def render_static_annotation(self, node: Type) -> str:
        """Return the annotation of a type without the metadata that only pydantic reads."""
        if alias := self._render_alias(node):
            return alias
        match node:
            case Array(item=item):
                return f"list[{self.render_static_annotation(item)}]"
            case FixedArray(items=items):
                return f"tuple[{', '.join(self.render_static_annotation(item) for item in items) or '()'}]"
            case Map(value=value):
                return f"dict[str, {self.render_static_annotation(value)}]"
            case Union(members=members):
                return self._render_union(members, self.render_static_annotation)
            case Scalar() | Choice() | Ref():
                base = self.split_annotation(node)[0]
                return "str" if base == "String" else base
            case _:
                assert_never(node)

    def render_handler_annotation(self, node: Type) -> str:
        """Return the annotation of what a handler may return for a type: its classes, or their JSON objects."""
        if not any(key in self.twins for key in collect_refs(node)):
            return self.render_static_annotation(node)
        match node:
            case Ref(id=key):
                return f"{self.names[key]} | {self.twins[key]}"
            case Array(item=item):  # a Sequence, since list is invariant
                return f"Sequence[{self.render_handler_annotation(item)}]"
            case FixedArray(items=items):
                return f"tuple[{', '.join(self.render_handler_annotation(item) for item in items)}]"
            case Map(value=value):
                return f"Mapping[str, {self.render_handler_annotation(value)}]"
            case Union(members=members):
                return self._render_union(members, self.render_handler_annotation)
            case Scalar() | Choice():
                return self.render_static_annotation(node)
            case _:
                assert_never(node)

    def split_annotation(self, node: Type) -> tuple[str, tuple[str, ...]]:
        """Return the annotation of a type and the metadata that follows it in `Annotated`."""
        if alias := self._render_alias(node):
            return alias, ()
        match node:
            case Scalar(kind=kind, bounds=bounds):
                return SCALAR_NAMES[kind], _render_field_bounds(bounds)
            case Choice(values=values):
                return self._split_choice(values)
            case Array(item=item, bounds=bounds):
                return f"list[{self.render_annotation(item)}]", _render_field_bounds(bounds)
            case FixedArray(items=items):
                elements = ", ".join(self.render_annotation(item) for item in items) or "()"
                return f"tuple[{elements}]", ("AsArray",)
            case Map(value=value):
                return f"dict[String, {self.render_annotation(value)}]", ()
            case Union(members=members, tag=tag):
                metadata = self._render_discriminator(members, tag) or self._render_order(members)
                if not any("discriminator" in one for one in metadata) and self._recursive_unions.branches_back(node):
                    metadata = (*metadata, "ReadOnce()")
                return self._render_union(members, self._render_member), metadata
            case Ref(id=key):
                return self.names[key], ()
            case _:
                assert_never(node)

    def _render_alias(self, node: Type) -> str:
        """Return the name of the definition that a type comes from, with None where only the type has that, else ""."""
        target = None if isinstance(node, Ref) or node.alias is None else self.nodes.get(node.alias)
        if not isinstance(target, Alias):
            return ""
        name = self.names[target.id]
        return f"{name} | None" if self.admits_none(node) and not self.admits_none(target.type) else name

    def split_field_annotation(self, node: Type, presence: Presence) -> tuple[str, tuple[str, ...]]:
        """Return the annotation of a field, with None where it may be absent, and the metadata."""
        if presence is Presence.REQUIRED or self.admits_none(node):
            return self.split_annotation(node)
        return f"{self.render_annotation(node)} | None", ()

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

    def _alias_admits_none(self, alias: Alias, entered: set[str]) -> bool:
        members = alias.type.members if isinstance(alias.type, Union) else (alias.type,)
        return any(
            not (isinstance(member, Ref) and member.id in entered) and self.admits_none(member) for member in members
        )

    def _split_choice(self, values: tuple[str | int | bool | None, ...]) -> tuple[str, tuple[str, ...]]:
        if values == (None,):
            return "None", ()
        has_numbers = any(isinstance(value, int) for value in values)  # True equals 1, and has to be told from it
        literals = ", ".join(str(make_literal(value)) for value in values)
        return f"Literal[{literals}]", ("Exactly",) if has_numbers else ()

    def _render_union(self, members: tuple[Type, ...], render: Callable[[Type], str]) -> str:
        parts = dict.fromkeys(render(member) for member in self._sort_members(members) if member != NULL)
        if NULL in members:
            parts["None"] = None
        return _join_in_chunks([*parts])

    def _render_member(self, member: Type) -> str:
        """Return the annotation of a member of a union; a union inside it stays one of its own for pydantic."""
        base, metadata = self.split_annotation(member)
        if isinstance(member, Union) and not metadata:
            metadata = ('Field(union_mode="smart")',)
        return render_annotated(base, metadata)

    def _render_order(self, members: tuple[Type, ...]) -> tuple[str, ...]:
        """Return the mode in which classes come before members that accept their objects, too."""
        has_general = any(
            member == Scalar(ScalarKind.ANY) or member == Map(Scalar(ScalarKind.ANY)) for member in members
        )
        has_classes = any(isinstance(member, Ref | Union) for member in members)
        return ('Field(union_mode="left_to_right")',) if has_general and has_classes else ()

    def _sort_members(self, members: tuple[Type, ...]) -> list[Type]:
        """Put scalars last if there are tuples: pydantic dumps by the first member that fits, and some fit anything."""
        parts = (part for member in members for part in walk_type(member))
        if not any(isinstance(part, FixedArray) or self._is_alias(part) for part in parts):
            return [*members]
        return sorted(members, key=lambda member: isinstance(member, Scalar | Choice))

    def _is_alias(self, node: Type) -> bool:
        return isinstance(node, Ref) and isinstance(self.nodes.get(node.id), Alias)

    def _render_discriminator(self, members: tuple[Type, ...], tag: str | None) -> tuple[str, ...]:
        """Return `Field(discriminator=…)` where a property tells the members apart.

        pydantic looks for the attribute's name first, also in a mapping. If that is not the wire name, an open object
        may have an undeclared property of that name, so then all members have to be closed.
        """
        classes = [node for node in map(self._get_class, members) if node is not None]
        names: set[str] = {self.get_attribute_names(node)[tag] for node in classes} if tag is not None else set()
        if len(names) != 1 or (names != {tag} and any(node.extra is not None for node in classes)):
            return ()
        return (f"Field(discriminator={make_literal(names.pop())})",)

    # --- values -------------------------------------------------------------------------------------------------
    def is_plain(self, node: Type) -> bool:
        """Check whether values of the type are their own JSON value, and immutable."""
        match node:
            case Scalar(kind=kind):
                return kind in PLAIN_KINDS
            case Choice():
                return True
            case Union(members=members):
                return all(self.is_plain(member) for member in members)
            case Array() | FixedArray() | Map() | Ref():
                return False
            case _:
                assert_never(node)

    def dump(self, node: Type, value: str, depth: int = 0) -> str:
        """Return an expression for the JSON value of a value.

        Args:
            node: the type of the value.
            value: the expression for the value.
            depth: how many comprehensions are around it.
        """
        if self.is_plain(node):
            return value
        match node:
            case Scalar() | Choice():
                return f"to_json_value({value})"
            case Array(item=item):
                if self.is_plain(item):
                    return f"[*{value}]"
                name = _make_variable_name(depth)
                return f"[{self.dump(item, name, depth + 1)} for {name} in {value}]"
            case FixedArray(items=items):
                return "[" + ", ".join(self.dump(item, f"{value}[{i}]", depth) for i, item in enumerate(items)) + "]"
            case Map(value=value_type):
                if self.is_plain(value_type):
                    return f"{{**{value}}}"
                name = _make_variable_name(depth)
                dumped = self.dump(value_type, name, depth + 1)
                return f"{{key{depth}: {dumped} for key{depth}, {name} in {value}.items()}}"
            case Union(members=members):
                return self._dump_union(members, value, depth)
            case Ref(id=key):
                if isinstance(self.nodes.get(key), Alias):
                    return f"to_json_value({value})"
                return f"{value}.to_structured_content()"
            case _:
                assert_never(node)

    def _dump_union(self, members: tuple[Type, ...], value: str, depth: int) -> str:
        """Return an expression with at most one test; if that cannot tell the members apart, a call that walks."""
        converted = [member for member in members if not self.is_plain(member)]
        unconverted = [member for member in members if self.is_plain(member)]
        if all(self._get_class(member) for member in converted):
            call = f"{value}.to_structured_content()"
            if not unconverted:
                return call
            if unconverted == [NULL]:
                return f"None if {value} is None else {call}"
            return f"{call} if isinstance({value}, JsonObject) else {value}"
        if len(converted) == 1 and unconverted == [NULL]:
            return f"None if {value} is None else {self.dump(converted[0], value, depth)}"
        return f"to_json_value({value})"

    def _get_class(self, node: Type) -> ObjectClass | None:
        target = self.nodes.get(node.id) if isinstance(node, Ref) else None
        return target if isinstance(target, ObjectClass) else None


def _join_in_chunks(parts: list[str]) -> str:
    """Return the union of some types; many are bracketed in chunks, since `|` nests and Python limits the depth."""
    while len(parts) > MAX_UNION_MEMBERS:
        chunks = [parts[at : at + MAX_UNION_MEMBERS] for at in range(0, len(parts), MAX_UNION_MEMBERS)]
        parts = [f"({' | '.join(chunk)})" if len(chunk) > 1 else chunk[0] for chunk in chunks]
    return " | ".join(parts)


def render_annotated(base: str, metadata: tuple[str, ...]) -> str:
    """Return `Annotated[base, …]`, or the base alone if there is no metadata."""
    return f"Annotated[{', '.join((base, *metadata))}]" if metadata else base


def _render_field_bounds(bounds: tuple[tuple[str, int | float], ...]) -> tuple[str, ...]:
    arguments = ", ".join(f"{keyword}={number!r}" for keyword, number in bounds)
    return (f"Field({arguments})",) if bounds else ()


def _make_variable_name(depth: int) -> str:
    return "item" if depth == 0 else f"item{depth}"
