"""Render annotations: those that pydantic reads, those for type checkers alone, and TypedDicts for handlers."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from mcpgen.ir.types import (
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
    Type,
    Union,
)
from mcpgen.ir.visitors import collect_refs, walk_type
from mcpgen.literals import Literal, make_annotation_literal, make_literal
from mcpgen.render.scope import Scope
from mcpgen.schema.formats import FORMAT_TABLE

MAX_UNION_MEMBERS = 100
"""The most members of a union that are joined without brackets."""


def _render_union(members: tuple[Type, ...], scope: Scope, render: Callable[[Type, Scope], str]) -> str:
    parts = dict.fromkeys(render(member, scope) for member in _sort_members(members, scope) if member != NULL)
    if NULL in members:
        parts["None"] = None
    return _join_in_chunks([*parts])


def _sort_members(members: tuple[Type, ...], scope: Scope) -> list[Type]:
    """Put scalars last if there are tuples: pydantic dumps by the first member that fits, and some fit anything."""
    parts = (part for member in members for part in walk_type(member))
    if not any(isinstance(part, FixedArray) or scope.refers_to_alias(part) for part in parts):
        return [*members]
    return sorted(members, key=lambda member: isinstance(member, Scalar | Choice))


def _join_in_chunks(parts: list[str]) -> str:
    """Return the union of some types; many are bracketed in chunks, since `|` nests and Python limits the depth."""
    while len(parts) > MAX_UNION_MEMBERS:
        chunks = [parts[start : start + MAX_UNION_MEMBERS] for start in range(0, len(parts), MAX_UNION_MEMBERS)]
        parts = [f"({' | '.join(chunk)})" if len(chunk) > 1 else chunk[0] for chunk in chunks]
    return " | ".join(parts)


# --- pydantic's ------------------------------------------------------------------------------------------------------
SCALAR_NAMES = {
    ScalarKind.STRING: "str",
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "float",
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
    ScalarKind.ANY: "JsonValue",
    ScalarKind.BASE64: "Base64",
    **{ScalarKind(name): entry.runtime_name for name, entry in FORMAT_TABLE.items()},
}


def render_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of a type for pydantic and the type checkers."""
    return render_annotated(*split_annotation(node, scope))


def split_field_annotation(node: Type, presence: Presence, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the annotation of a field, with None where it may be absent, and the metadata."""
    if presence is Presence.REQUIRED or scope.admits_none(node):
        return split_annotation(node, scope)
    base, metadata = split_annotation(node, scope)
    return f"{base} | None", metadata


def split_annotation(node: Type, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the annotation of a type and the metadata that follows it in `Annotated`."""
    if alias := scope.render_alias(node):
        return alias, ()
    match node:
        case Union(members=members):
            return _render_union(members, scope, _render_member), _list_union_metadata(node, scope)
        case Scalar(bounds=bounds) | Array(bounds=bounds) if bounds:
            arguments = ", ".join(f"{keyword}={number!r}" for keyword, number in bounds)
            return render_parts(node, scope, render_annotation), (f"Field({arguments})",)
        case _:
            return render_parts(node, scope, render_annotation), ()


def render_parts(
    node: Type, scope: Scope, render: Callable[[Type, Scope], str], scalars: Mapping[ScalarKind, str] = SCALAR_NAMES
) -> str:
    """Return the annotation of a type, whose parts `render` renders; `scalars` has the names of scalar types."""
    match node:
        case Scalar(kind=kind):
            return scalars[kind]
        case Choice(values=(None,)):
            return "None"
        case Choice(values=values):
            return f"Literal[{', '.join(str(make_literal(value)) for value in values)}]"
        case Array(item=item):
            return f"list[{render(item, scope)}]"
        case FixedArray(items=items):
            return f"tuple[{', '.join(render(item, scope) for item in items) or '()'}]"
        case Map(value=value):
            return f"dict[str, {render(value, scope)}]"
        case Union(members=members):
            return _render_union(members, scope, render)
        case Ref(id=key):
            return scope.names[key]
        case _:
            assert_never(node)


def render_annotated(base: str, metadata: tuple[str, ...]) -> str:
    """Return `Annotated[base, …]` with one `Field(…)` at most, in its place: pydantic applies metadata in order."""
    fields = [part.removeprefix("Field(").removesuffix(")") for part in metadata if part.startswith("Field(")]
    merged: list[str] = []
    for part in metadata:
        if not part.startswith("Field("):
            merged.append(part)
        elif fields:
            merged.append(f"Field({', '.join(fields)})")
            fields.clear()
    return f"Annotated[{', '.join((base, *merged))}]" if merged else base


# --- unions ----------------------------------------------------------------------------------------------------------
def _render_member(member: Type, scope: Scope) -> str:
    base, metadata = split_annotation(member, scope)
    if isinstance(member, Union) and not metadata:
        metadata = ('Field(union_mode="smart")',)
    return render_annotated(base, metadata)


def _list_union_metadata(union: Union, scope: Scope) -> tuple[str, ...]:
    if discriminator := _render_discriminator(union.members, union.tag, scope):
        return discriminator
    metadata = _render_order(union.members)
    return (*metadata, "ReadOnce()") if scope.recursive_unions.branches_back(union) else metadata


def _render_order(members: tuple[Type, ...]) -> tuple[str, ...]:
    """Return `left_to_right` if the order matters: classes come before members that also accept their objects."""
    has_general = any(member == Scalar(ScalarKind.ANY) or member == Map(Scalar(ScalarKind.ANY)) for member in members)
    has_classes = any(isinstance(member, Ref | Union) for member in members)
    return ('Field(union_mode="left_to_right")',) if has_general and has_classes else ()


def _render_discriminator(members: tuple[Type, ...], tag: str | None, scope: Scope) -> tuple[str, ...]:
    """Return `Field(discriminator=…)` where a property tells the members apart.

    pydantic looks for the attribute's name first, also in a mapping. If that is not the wire name, an open object
    may have an undeclared property of that name, so then all members have to be closed.
    """
    classes = [node for node in map(scope.get_class, members) if node is not None]
    names: set[str] = {scope.get_attribute_names(node)[tag] for node in classes} if tag is not None else set()
    if len(names) != 1 or (names != {tag} and any(node.extra is not None for node in classes)):
        return ()
    return (f"Field(discriminator={make_literal(names.pop())})",)


# --- for type checkers and readers -----------------------------------------------------------------------------------
def render_static_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of a type without the metadata that only pydantic reads."""
    return scope.render_alias(node) or render_parts(node, scope, render_static_annotation)


def render_handler_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of what a handler may return for a type: its classes, or their JSON objects."""
    if not any(key in scope.typed_dicts for key in collect_refs(node)):
        return render_static_annotation(node, scope)
    match node:
        case Ref(id=key):
            return f"{scope.names[key]} | {scope.typed_dicts[key]}"
        case Array(item=item):  # a Sequence, since list is invariant
            return f"Sequence[{render_handler_annotation(item, scope)}]"
        case Map(value=value):
            return f"Mapping[str, {render_handler_annotation(value, scope)}]"
        case _:
            return render_parts(node, scope, render_handler_annotation)


# --- TypedDicts: the classes of a module as JSON objects -------------------------------------------------------------
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_]\w*")


class MemberView(NamedTuple):
    """A member of a TypedDict."""

    name: str
    """The wire name as it is."""
    annotation: str
    comment: Literal | None = None
    """What a stub says of it."""

    @property
    def wire(self) -> Literal:
        """The wire name as a string."""
        return make_literal(self.name)

    @property
    def quoted(self) -> Literal:
        """The annotation as a string."""
        return make_annotation_literal(self.annotation)


class TypedDictView(NamedTuple):
    """A TypedDict."""

    name: str
    members: list[MemberView]
    plain: bool
    """The properties can be written as a class body."""
    base: str = "TypedDict"
    """The TypedDict that it inherits all its properties from, or `TypedDict` itself."""


class TypedDictAliasView(NamedTuple):
    """Alias of a recursive type over TypedDicts."""

    name: str
    type: Literal
    recursive: bool = True
    doc: Literal | None = None


def make_typed_dict_views(nodes: Iterable[Node], scope: Scope) -> list[TypedDictView | TypedDictAliasView]:
    """Return the TypedDicts of classes, and the aliases over them, in the order of the nodes."""
    return [_make_typed_dict_view(node, scope) for node in nodes if node.id in scope.typed_dicts]


def _make_typed_dict_view(node: Node, scope: Scope) -> TypedDictView | TypedDictAliasView:
    name = scope.typed_dicts[node.id]
    match node:
        case ObjectClass(fields=fields) if any(not field.wire for field in fields):  # type checkers refuse the name ""
            return TypedDictAliasView(name, Literal("Mapping[str, Any]"), recursive=False)
        case ObjectClass(base=Ref(id=base)):
            return TypedDictView(name, [], True, scope.typed_dicts[base])
        case ObjectClass():
            members = [_make_member_view(field, scope) for field in node.fields]
            return TypedDictView(name, members, can_be_class_body(members))
        case Alias():
            return TypedDictAliasView(name, make_literal(render_handler_annotation(node.type, scope)))


def _make_member_view(field: Field, scope: Scope) -> MemberView:
    annotation = render_member_annotation(field, scope, render_handler_annotation)
    return MemberView(field.wire, annotation if field.presence is Presence.REQUIRED else f"NotRequired[{annotation}]")


def render_member_annotation(field: Field, scope: Scope, render: Callable[[Type, Scope], str]) -> str:
    """Return the annotation of a property that is present; `render` returns that of its type."""
    is_nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{render(field.type, scope)} | None" if is_nullable else render(field.type, scope)


def can_be_class_body(members: Sequence[MemberView]) -> bool:
    """Check that every wire name is a valid attribute, and that no annotation in the body uses it as a name."""
    used = {name for member in members for name in _ATTRIBUTE_NAME.findall(member.annotation)}
    return all(
        member.name.isascii()
        and member.name.isidentifier()
        and not keyword.iskeyword(member.name)
        and not member.name.startswith("__")
        and member.name not in used
        for member in members
    )
