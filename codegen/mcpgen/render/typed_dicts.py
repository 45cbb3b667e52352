"""TypedDicts beside the classes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.ir.types import Alias, Node, ObjectClass, Presence, Type
from mcpgen.literals import Literal, scalar
from mcpgen.render.scope import Scope

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class MemberView:
    """A property of a TypedDict: its wire name, as a literal and as it is, and its annotation."""

    wire: Literal
    name: str
    annotation: str
    quoted: Literal


@dataclass(frozen=True)
class TwinView:
    """A TypedDict; `plain`: its properties can be written as a class body."""

    name: str
    of: str
    members: list[MemberView]
    plain: bool


@dataclass(frozen=True)
class TwinAliasView:
    """The alias of a recursive type over TypedDicts."""

    name: str
    type: Literal


def twins(nodes: Iterable[Node], scope: Scope) -> list[TwinView | TwinAliasView]:
    """The TypedDicts of the classes among some nodes, in their order."""
    return [_twin(node, scope) for node in nodes if node.id in scope.twins]


def _twin(node: Node, scope: Scope) -> TwinView | TwinAliasView:
    match node:
        case ObjectClass():
            members = [
                MemberView(scalar(field.wire), field.wire, text, scalar(text))
                for field in node.fields
                for text in (_member(field.type, field.presence, scope),)
            ]
            return TwinView(scope.twins[node.id], scope.names[node.id], members, _plain(members))
        case Alias():
            return TwinAliasView(scope.twins[node.id], scalar(scope.render_handler_annotation(node.type)))


def _member(node: Type, presence: Presence, scope: Scope) -> str:
    text = scope.render_handler_annotation(node)
    if presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(node):
        text += " | None"
    return text if presence is Presence.REQUIRED else f"NotRequired[{text}]"


def _plain(members: list[MemberView]) -> bool:
    """Whether every wire name is an attribute's name that no annotation beside it needs."""
    used = {word for member in members for word in _NAME.findall(member.annotation)}
    return all(
        member.name.isascii()
        and member.name.isidentifier()
        and not keyword.iskeyword(member.name)
        and not member.name.startswith("__")
        and member.name not in used
        for member in members
    )
