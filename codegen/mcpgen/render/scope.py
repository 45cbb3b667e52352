"""Python expressions for types: annotations, and the JSON value of a typed value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
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
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.ir.visitors import collect_refs, find_strong_components, walk_type
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


PLAIN_KINDS = frozenset({ScalarKind.STRING, ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL})
"""The scalars whose Python value is the JSON value."""


MAX_UNION_MEMBERS = 100
"""Members of a union without brackets."""


@dataclass(frozen=True)
class Scope:
    """What ids mean in a module: their names, and their nodes."""

    names: Mapping[str, str]
    nodes: Mapping[str, Node]
    twins: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    """The TypedDicts of classes, and the aliases over those."""
    reserved: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict[str, frozenset[str]])
    """Names that a class's attributes may not take."""

    def get_attribute_names(self, node: ObjectClass) -> dict[str, str]:
        """Wire name → Python name of an object's properties."""
        return make_field_names(node.fields, self.reserved.get(node.id, frozenset()))

    def render_annotation(self, node: Type) -> str:
        """The annotation of a type, as pydantic and the checkers read it."""
        return render_annotated(*self.split_annotation(node))

    def render_static_annotation(self, node: Type) -> str:
        """The annotation without what only pydantic reads."""
        match node:
            case Array(item=item):
                return f"list[{self.render_static_annotation(item)}]"
            case FixedArray(items=items):
                return f"tuple[{', '.join(self.render_static_annotation(item) for item in items) or '()'}]"
            case Map(value=value):
                return f"dict[str, {self.render_static_annotation(value)}]"
            case Union(members=members):
                return self._union(members, self.render_static_annotation)
            case Scalar() | Choice() | Ref():
                base = self.split_annotation(node)[0]
                return "str" if base == "String" else base
            case _:
                assert_never(node)

    def render_handler_annotation(self, node: Type) -> str:
        """What a handler may give for the type: its classes, or the JSON objects that those are."""
        if not any(key in self.twins for key in collect_refs(node)):
            return self.render_static_annotation(node)
        match node:
            case Ref(id=key):
                return f"{self.names[key]} | {self.twins[key]}"
            case Array(item=item):  # a Sequence, since a list of classes is no list of classes or JSON objects
                return f"Sequence[{self.render_handler_annotation(item)}]"
            case FixedArray(items=items):
                return f"tuple[{', '.join(self.render_handler_annotation(item) for item in items)}]"
            case Map(value=value):
                return f"Mapping[str, {self.render_handler_annotation(value)}]"
            case Union(members=members):
                return self._union(members, self.render_handler_annotation)
            case Scalar() | Choice():
                return self.render_static_annotation(node)
            case _:
                assert_never(node)

    def split_annotation(self, node: Type) -> tuple[str, tuple[str, ...]]:
        """The annotation in two: the type, and what belongs behind it in `Annotated`."""
        match node:
            case Scalar(kind=kind, bounds=bounds):
                return SCALAR_NAMES[kind], _render_field_bounds(bounds)
            case Choice(values=values):
                return self._choice(values)
            case Array(item=item, bounds=bounds):
                return f"list[{self.render_annotation(item)}]", _render_field_bounds(bounds)
            case FixedArray(items=items):
                inner = ", ".join(self.render_annotation(item) for item in items) or "()"
                return f"tuple[{inner}]", ("AsArray",)
            case Map(value=value):
                return f"dict[String, {self.render_annotation(value)}]", ()
            case Union(members=members, tag=tag):
                told_apart = self._discriminator(members, tag)
                once = ("ReadOnce()",) if not told_apart and self._branches_back(node) else ()
                return self._union(members, self.render_annotation), told_apart or once
            case Ref(id=key):
                return self.names[key], ()
            case _:
                assert_never(node)

    def split_field_annotation(self, node: Type, presence: Presence) -> tuple[str, tuple[str, ...]]:
        """The annotation of a field, in two parts: with None where its presence needs one."""
        if presence is Presence.REQUIRED or self.admits_none(node):
            return self.split_annotation(node)
        return f"{self.render_annotation(node)} | None", ()

    def admits_none(self, node: Type) -> bool:
        """Whether None is a value of the annotation already."""
        match node:
            case Scalar(kind=kind):
                return kind in (ScalarKind.NULL, ScalarKind.ANY)
            case Choice(values=values):
                return None in values
            case Union(members=members):
                return any(self.admits_none(member) for member in members)
            case Ref(id=key):
                inner = self.nodes.get(key)
                return isinstance(inner, Alias) and self._alias_admits_none(inner, {key})
            case Array() | FixedArray() | Map():
                return False
            case _:
                assert_never(node)

    def _alias_admits_none(self, alias: Alias, seen: set[str]) -> bool:
        members = alias.type.members if isinstance(alias.type, Union) else (alias.type,)
        return any(not (isinstance(m, Ref) and m.id in seen) and self.admits_none(m) for m in members)

    def _choice(self, values: tuple[str | int | bool | None, ...]) -> tuple[str, tuple[str, ...]]:
        if values == (None,):
            return "None", ()
        exact = any(isinstance(value, int) for value in values)
        return f"Literal[{', '.join(str(make_literal(value)) for value in values)}]", ("Exactly",) if exact else ()

    def _union(self, members: tuple[Type, ...], each: Callable[[Type], str]) -> str:
        parts = dict.fromkeys(each(member) for member in self._ordered(members) if member != Scalar(ScalarKind.NULL))
        if Scalar(ScalarKind.NULL) in members:
            parts["None"] = None
        return _join_in_chunks([*parts])

    def _ordered(self, members: tuple[Type, ...]) -> list[Type]:
        """Tuples before scalars: pydantic dumps a union by its first fitting member, and some scalars fit anything."""
        if not any(
            isinstance(one, FixedArray) or self._is_alias(one) for member in members for one in walk_type(member)
        ):
            return [*members]
        return sorted(members, key=lambda member: isinstance(member, Scalar | Choice))

    def _is_alias(self, node: Type) -> bool:
        return isinstance(node, Ref) and isinstance(self.nodes.get(node.id), Alias)

    def _discriminator(self, members: tuple[Type, ...], tag: str | None) -> tuple[str, ...]:
        """`Field(discriminator=…)` where a property tells the members apart.

        pydantic looks for the attribute's name first, also in a mapping. Where that is not the wire name, an open
        object may hold an undeclared property of that name, so only closed ones can be told apart by it.
        """
        classes = [node for node in map(self._class, members) if node is not None]
        names: set[str] = {self.get_attribute_names(node)[tag] for node in classes} if tag is not None else set()
        if len(names) != 1 or (names != {tag} and any(node.extra is not None for node in classes)):
            return ()
        return (f"Field(discriminator={make_literal(names.pop())})",)

    # --- recursion ----------------------------------------------------------------------------------------------
    def _branches_back(self, union: Union) -> bool:
        """Return whether a value fits several members that lead back to the union, each by way of the value's parts."""
        circles = {self._circles[key] for key in self._owners.get(union, ())}
        back = [
            member for member in union.members if any(self._circles.get(key) in circles for key in collect_refs(member))
        ]
        kinds = [kind for member in back for kind in self._container_kinds(member, frozenset())]
        return len(kinds) > len(set(kinds))

    @cached_property
    def _owners(self) -> dict[Union, list[str]]:
        """The ids of the classes and aliases that hold each union."""
        owners: dict[Union, list[str]] = {}
        for key, node in self.nodes.items():
            for union in (part for part in _walk_node_types(node) if isinstance(part, Union)):
                owners.setdefault(union, []).append(key)
        return owners

    @cached_property
    def _circles(self) -> dict[str, int]:
        """A number for each class and alias, the same for those that lead to each other."""
        edges = {
            key: [ref for ref in collect_refs(*_walk_node_types(node)) if ref in self.nodes]
            for key, node in self.nodes.items()
        }
        return find_strong_components(edges)

    def _container_kinds(self, node: Type, seen: frozenset[str]) -> list[str]:
        """Return `array` or `object` for each member of a type that is one."""
        match node:
            case Array() | FixedArray():
                return ["array"]
            case Map():
                return ["object"]
            case Union(members=members):
                return [kind for member in members for kind in self._container_kinds(member, seen)]
            case Ref(id=key):
                inner = self.nodes.get(key)
                if not isinstance(inner, Alias):
                    return ["object"]
                return [] if key in seen else self._container_kinds(inner.type, seen | {key})
            case Scalar() | Choice():
                return []
            case _:
                assert_never(node)

    # --- values -------------------------------------------------------------------------------------------------
    def is_plain(self, node: Type) -> bool:
        """Whether a value of the type is its own JSON value and cannot be changed from outside."""
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
        """An expression for the JSON value of the expression `value`."""
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
            case Map(value=inner):
                if self.is_plain(inner):
                    return f"{{**{value}}}"
                name = _make_variable_name(depth)
                return f"{{key{depth}: {self.dump(inner, name, depth + 1)} for key{depth}, {name} in {value}.items()}}"
            case Union(members=members):
                return self._dump_union(members, value, depth)
            case Ref(id=key):
                if isinstance(self.nodes.get(key), Alias):
                    return f"to_json_value({value})"
                return f"{value}.to_structured_content()"
            case _:
                assert_never(node)

    def _dump_union(self, members: tuple[Type, ...], value: str, depth: int) -> str:
        """Straight-line where one test tells the members apart; the walk over the value where it takes more."""
        rest = [member for member in members if not self.is_plain(member)]
        plain = [member for member in members if self.is_plain(member)]
        if all(self._class(member) for member in rest):
            call = f"{value}.to_structured_content()"
            if not plain:
                return call
            if plain == [Scalar(ScalarKind.NULL)]:
                return f"None if {value} is None else {call}"
            return f"{call} if isinstance({value}, JsonObject) else {value}"
        if len(rest) == 1 and plain == [Scalar(ScalarKind.NULL)]:
            return f"None if {value} is None else {self.dump(rest[0], value, depth)}"
        return f"to_json_value({value})"

    def _class(self, node: Type) -> ObjectClass | None:
        held = self.nodes.get(node.id) if isinstance(node, Ref) else None
        return held if isinstance(held, ObjectClass) else None


def _join_in_chunks(parts: list[str]) -> str:
    """The union of some types, many of them in brackets: each lies inside of the one before, and Python reads only
    so deep."""
    while len(parts) > MAX_UNION_MEMBERS:
        chunks = [parts[at : at + MAX_UNION_MEMBERS] for at in range(0, len(parts), MAX_UNION_MEMBERS)]
        parts = [f"({' | '.join(chunk)})" if len(chunk) > 1 else chunk[0] for chunk in chunks]
    return " | ".join(parts)


def render_annotated(base: str, metadata: tuple[str, ...]) -> str:
    """`Annotated[base, …]`, or the base alone when there is nothing to add."""
    return f"Annotated[{', '.join((base, *metadata))}]" if metadata else base


def _walk_node_types(node: Node) -> list[Type]:
    """Return every type in a class or an alias."""
    types = [node.type] if isinstance(node, Alias) else [field.type for field in node.fields]
    if isinstance(node, ObjectClass) and node.extra is not None:
        types.append(node.extra)
    return [part for inner in types for part in walk_type(inner)]


def _render_field_bounds(bounds: tuple[tuple[str, int | float], ...]) -> tuple[str, ...]:
    words = ", ".join(f"{word}={number!r}" for word, number in bounds)
    return (f"Field({words})",) if bounds else ()


def _make_variable_name(depth: int) -> str:
    return "item" if depth == 0 else f"item{depth}"
