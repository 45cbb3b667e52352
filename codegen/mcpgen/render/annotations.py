"""Render the annotations that pydantic reads: types with their metadata in `Annotated`."""

from __future__ import annotations

from typing import assert_never

from mcpgen.ir.types import (
    Array,
    Choice,
    FixedArray,
    Map,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.literals import make_literal
from mcpgen.render.scope import Scope
from mcpgen.render.unions import render_union

SCALAR_NAMES = {
    ScalarKind.STRING: "str",
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "float",
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
    ScalarKind.ANY: "JsonValue",
    ScalarKind.BASE64: "Base64",
    ScalarKind.DATE_TIME: "DateTime",
    ScalarKind.DATE: "Date",
    ScalarKind.TIME: "Time",
    ScalarKind.UUID: "Uuid",
    ScalarKind.IPV4: "NativeIpv4",
    ScalarKind.IPV6: "NativeIpv6",
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
        case Scalar(kind=kind, bounds=bounds):
            return SCALAR_NAMES[kind], _render_field_bounds(bounds)
        case Choice(values=values):
            return _render_choice(values), ()
        case Array(item=item, bounds=bounds):
            return f"list[{render_annotation(item, scope)}]", _render_field_bounds(bounds)
        case FixedArray(items=items):
            elements = ", ".join(render_annotation(item, scope) for item in items) or "()"
            return f"tuple[{elements}]", ()
        case Map(value=value):
            return f"dict[str, {render_annotation(value, scope)}]", ()
        case Union(members=members):
            return render_union(members, scope, _render_member), _list_union_metadata(node, scope)
        case Ref(id=key):
            return scope.names[key], ()
        case _:
            assert_never(node)


def render_annotated(base: str, metadata: tuple[str, ...]) -> str:
    """Return `Annotated[base, …]` with one `Field(…)` at most, or the base alone if there is no metadata.

    It stands where the first one stood: pydantic applies metadata in order, and `union_mode` to nothing but a union.
    """
    fields = [part.removeprefix("Field(").removesuffix(")") for part in metadata if part.startswith("Field(")]
    merged: list[str] = []
    for part in metadata:
        if not part.startswith("Field("):
            merged.append(part)
        elif fields:
            merged.append(f"Field({', '.join(fields)})")
            fields.clear()
    return f"Annotated[{', '.join((base, *merged))}]" if merged else base


def _render_field_bounds(bounds: tuple[tuple[str, int | float], ...]) -> tuple[str, ...]:
    arguments = ", ".join(f"{keyword}={number!r}" for keyword, number in bounds)
    return (f"Field({arguments})",) if bounds else ()


def _render_choice(values: tuple[str | int | bool | None, ...]) -> str:
    if values == (None,):
        return "None"
    return f"Literal[{', '.join(str(make_literal(value)) for value in values)}]"


# --- unions ----------------------------------------------------------------------------------------------------------
def _render_member(member: Type, scope: Scope) -> str:
    """Return the annotation of a member of a union; a union inside it stays one of its own for pydantic."""
    base, metadata = split_annotation(member, scope)
    if isinstance(member, Union) and not metadata:
        metadata = ('Field(union_mode="smart")',)
    return render_annotated(base, metadata)


def _list_union_metadata(union: Union, scope: Scope) -> tuple[str, ...]:
    """Return the metadata by which pydantic chooses the member for a value."""
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
