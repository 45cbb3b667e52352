"""Describe a tool's arguments as keyword parameters, also where its inputSchema is a union of objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import ANY, Choice, Field, ObjectClass, Presence, Type, Union
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.identifiers import make_field_names
from mcpgen.render.annotations import render_annotation, render_static_annotation
from mcpgen.render.declared_places import render_place
from mcpgen.render.scope import Scope


class Arguments(NamedTuple):
    """Arguments of a tool: those of its class or, of a union, those of all its members."""

    fields: tuple[Field, ...]
    names: dict[str, str]
    extra: Type | None
    """The type of undeclared arguments, None where there can be none."""


class KeywordView(NamedTuple):
    """A keyword parameter of a constructor."""

    name: str
    annotation: str
    default: str | None


class RootArgumentsView(NamedTuple):
    """An arguments class over a union of classes."""

    name: str
    doc: Literal | None
    root: Literal
    declared: Literal
    """The place of its schema in the tool's definition."""
    keywords: list[KeywordView]
    open: bool
    extra: str | None
    """The annotation of undeclared arguments, None where any JSON value is allowed or none."""
    parameters: list[Literal]
    """For each parameter, the entry of a dict with its wire name."""


def collect_arguments(root: SchemaRoot, scope: Scope) -> Arguments:
    """Return the arguments that an inputSchema describes."""
    root_class = get_root_class(root)
    if root_class is not None:
        return Arguments(root_class.fields, scope.get_attribute_names(root_class), root_class.extra)
    members = [*_list_members(root.type, scope)]
    classes = [member for member in members if member is not None]
    fields = tuple(_merge_fields(classes, len(members), scope))
    extras = dict.fromkeys(member.extra for member in classes if member.extra is not None)
    is_open = bool(extras) or len(classes) < len(members)
    extra = (next(iter(extras)) if len(extras) == 1 and len(classes) == len(members) else ANY) if is_open else None
    return Arguments(fields, make_field_names(fields), extra)


def _list_members(node: Type, scope: Scope) -> Iterator[ObjectClass | None]:
    """Yield the classes of a union, None for a member that is none."""
    if isinstance(node, Union):
        for member in node.members:
            yield from _list_members(member, scope)
    else:
        yield scope.get_class(node)


def _merge_fields(classes: Iterable[ObjectClass], count: int, scope: Scope) -> Iterator[Field]:
    fields_by_wire: dict[str, list[Field]] = {}
    for node in classes:
        for field in node.fields:
            fields_by_wire.setdefault(field.wire, []).append(field)
    for wire, fields in fields_by_wire.items():
        merged = _join_types(field.type for field in fields)
        required = len(fields) == count and all(field.presence is Presence.REQUIRED for field in fields)
        nullable = scope.admits_none(merged) or any(field.presence is Presence.OPTIONAL_NULLABLE for field in fields)
        presence = Presence.OPTIONAL_NULLABLE if nullable else Presence.OPTIONAL
        description = next((field.description for field in fields if field.description), "")
        yield Field(wire, merged, Presence.REQUIRED if required else presence, description)


def _join_types(types: Iterable[Type]) -> Type:
    members = dict.fromkeys(part for node in types for part in (node.members if isinstance(node, Union) else (node,)))
    constants = [member for member in members if isinstance(member, Choice)]
    joined: list[Type] = [member for member in members if not isinstance(member, Choice)]
    if constants:
        keys = {(type(value), value): value for constant in constants for value in constant.values}
        joined.insert(0, Choice(tuple(keys.values())))
    return joined[0] if len(joined) == 1 else Union(tuple(joined))


def make_root_arguments_view(root: SchemaRoot, name: str, scope: Scope, description: str) -> RootArgumentsView:
    """Return the view of the arguments class of a union; `description` is for a schema that has none."""
    arguments = collect_arguments(root, scope)
    typed_extra = None if arguments.extra in (None, ANY) else arguments.extra
    return RootArgumentsView(
        name=name,
        doc=make_docstring(root.description or description, 4),
        root=Literal(render_annotation(root.type, scope)),
        declared=render_place("inputSchema", [""]),
        keywords=[_make_keyword_view(field, arguments.names[field.wire], scope) for field in arguments.fields],
        open=arguments.extra is not None,
        extra=None if typed_extra is None else render_annotation(typed_extra, scope),
        parameters=[_make_parameter(field, arguments.names[field.wire]) for field in arguments.fields],
    )


def _make_keyword_view(field: Field, name: str, scope: Scope) -> KeywordView:
    annotation = render_static_annotation(field.type, scope)
    if field.presence is not Presence.REQUIRED and not scope.admits_none(field.type):
        annotation = f"{annotation} | None"
    defaults = {Presence.REQUIRED: None, Presence.OPTIONAL: "None", Presence.OPTIONAL_NULLABLE: "ABSENT"}
    return KeywordView(name, annotation, defaults[field.presence])


def _make_parameter(field: Field, name: str) -> Literal:
    options = {
        Presence.REQUIRED: ", required=True",
        Presence.OPTIONAL: "",
        Presence.OPTIONAL_NULLABLE: ", nullable=True",
    }
    return Literal(f"{make_literal(name)}: Parameter({make_literal(field.wire)}{options[field.presence]})")
