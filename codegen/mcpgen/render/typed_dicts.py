"""Make the views of TypedDicts: the classes of a module as JSON objects, for handlers."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.ir.types import Alias, Field, Node, ObjectClass, Presence, Ref
from mcpgen.literals import Literal, make_annotation_literal, make_literal
from mcpgen.render.scope import Scope
from mcpgen.render.static_annotations import render_handler_annotation

_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class TypedDictMemberView:
    """A property of a TypedDict."""

    wire: Literal
    name: str
    """The wire name as it is."""
    annotation: str
    quoted: Literal
    """The annotation as a string."""


@dataclass(frozen=True)
class TypedDictView:
    """A TypedDict."""

    name: str
    members: list[TypedDictMemberView]
    plain: bool
    """The properties can be written as a class body."""
    base: str = "TypedDict"
    """The TypedDict that it inherits all its properties from, or `TypedDict` itself."""


@dataclass(frozen=True)
class TypedDictAliasView:
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
            return TypedDictView(name, members, _can_be_class_body(members))
        case Alias():
            return TypedDictAliasView(name, make_literal(render_handler_annotation(node.type, scope)))


def _make_member_view(field: Field, scope: Scope) -> TypedDictMemberView:
    annotation = render_handler_annotation(field.type, scope)
    if field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type):
        annotation += " | None"
    if field.presence is not Presence.REQUIRED:
        annotation = f"NotRequired[{annotation}]"
    return TypedDictMemberView(make_literal(field.wire), field.wire, annotation, make_annotation_literal(annotation))


def _can_be_class_body(members: list[TypedDictMemberView]) -> bool:
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
