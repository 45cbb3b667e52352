"""TypedDicts beside the classes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.ir.types import Alias, Node, ObjectClass, Presence, Type
from mcpgen.literals import Literal, make_literal
from mcpgen.render.scope import Scope

_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class TypedDictMemberView:
    """A property of a TypedDict: its wire name, as a literal and as it is, and its annotation."""

    wire: Literal
    name: str
    annotation: str
    quoted: Literal


@dataclass(frozen=True)
class TypedDictView:
    """A TypedDict; `plain`: its properties can be written as a class body."""

    name: str
    of: str
    members: list[TypedDictMemberView]
    plain: bool


@dataclass(frozen=True)
class TypedDictAliasView:
    """The alias of a recursive type over TypedDicts."""

    name: str
    type: Literal


def make_typed_dict_views(nodes: Iterable[Node], scope: Scope) -> list[TypedDictView | TypedDictAliasView]:
    """The TypedDicts of the classes among some nodes, in their order."""
    return [_make_typed_dict_view(node, scope) for node in nodes if node.id in scope.twins]


def _make_typed_dict_view(node: Node, scope: Scope) -> TypedDictView | TypedDictAliasView:
    match node:
        case ObjectClass():
            members = [
                TypedDictMemberView(make_literal(field.wire), field.wire, text, make_literal(text))
                for field in node.fields
                for text in (_render_member_annotation(field.type, field.presence, scope),)
            ]
            return TypedDictView(scope.twins[node.id], scope.names[node.id], members, _can_be_class_body(members))
        case Alias():
            return TypedDictAliasView(scope.twins[node.id], make_literal(scope.render_handler_annotation(node.type)))


def _render_member_annotation(node: Type, presence: Presence, scope: Scope) -> str:
    text = scope.render_handler_annotation(node)
    if presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(node):
        text += " | None"
    return text if presence is Presence.REQUIRED else f"NotRequired[{text}]"


def _can_be_class_body(members: list[TypedDictMemberView]) -> bool:
    """Whether every wire name is an attribute's name that no annotation beside it needs."""
    used = {word for member in members for word in _ATTRIBUTE_NAME.findall(member.annotation)}
    return all(
        member.name.isascii()
        and member.name.isidentifier()
        and not keyword.iskeyword(member.name)
        and not member.name.startswith("__")
        and member.name not in used
        for member in members
    )
