"""Render types as plain JSON data for stubs: annotations, and TypedDicts of the classes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from mcpgen.ir.types import (
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
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.literals import Literal, make_literal, make_text_comment
from mcpgen.render.scope import Scope
from mcpgen.render.stub_text import repeats_name, shorten
from mcpgen.render.unions import render_union

MAX_MEMBER_LENGTH = 80
"""Characters of the description of a member, apart from its first sentence."""
_PYTHON_NAMES = {
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "float",
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
    ScalarKind.ANY: "Any",
}
"""Types of scalars that are no strings."""
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_]\w*")

StateMember = Callable[[ObjectClass, str], str]
"""Returns the keywords that constrain a property, by its class and its wire name; empty where none is known."""


@dataclass(frozen=True)
class StubMemberView:
    """A member of a TypedDict."""

    name: str
    """The wire name as it is."""
    wire: Literal
    annotation: str
    comment: Literal | None


@dataclass(frozen=True)
class StubTypeView:
    """A TypedDict, or an alias."""

    name: str
    members: list[StubMemberView]
    is_class: bool = True
    """The members can be written as a class body."""
    base: str = "TypedDict"
    """The TypedDict that it inherits all its members from, or `TypedDict` itself."""
    is_total: bool = True
    """Its members are required unless they say otherwise; False: the other way round."""
    type: str | None = None
    """The type of an alias, None for a TypedDict."""
    others: str | None = None
    """The type of undeclared members where the schema gives one."""


def render_stub_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of a type as plain JSON data."""
    if alias := scope.render_alias(node):
        return alias
    match node:
        case Scalar(kind=kind):
            return _PYTHON_NAMES.get(kind, "str")
        case Choice(values=values):
            return "None" if values == (None,) else f"Literal[{', '.join(str(make_literal(v)) for v in values)}]"
        case Array(item=item):
            return f"list[{render_stub_annotation(item, scope)}]"
        case FixedArray(items=items):
            return f"tuple[{', '.join(render_stub_annotation(item, scope) for item in items) or '()'}]"
        case Map(value=value):
            return f"dict[str, {render_stub_annotation(value, scope)}]"
        case Union(members=members):
            return render_union(members, scope, render_stub_annotation)
        case Ref(id=key):
            return scope.names[key]
        case _:
            assert_never(node)


def list_reached_nodes(starts: Sequence[Type], nodes: Mapping[str, Node]) -> list[Node]:
    """Return the classes and aliases that some types lead to, in the order in which a reader meets them."""
    reached: dict[str, Node] = {}
    pending = [*reversed(collect_refs(*starts))]
    while pending:
        key = pending.pop()
        if key not in reached and key in nodes:
            reached[key] = nodes[key]
            pending.extend(reversed(collect_refs(*list_node_types(nodes[key]))))
    return [*reached.values()]


def make_stub_types(nodes: Sequence[Node], scope: Scope, state_member: StateMember) -> Iterator[StubTypeView]:
    """Yield the views of some classes and aliases."""
    for node in nodes:
        name = scope.names[node.id]
        match node:
            case Alias():
                yield StubTypeView(name, [], type=render_stub_annotation(node.type, scope))
            case ObjectClass(fields=(), extra=extra, base=None) if extra is not None:
                yield StubTypeView(name, [], type=f"dict[str, {render_stub_annotation(extra, scope)}]")
            case ObjectClass(fields=fields) if any(not field.wire for field in fields):  # type checkers refuse it
                yield StubTypeView(name, [], type="dict[str, Any]")
            case ObjectClass(base=Ref(id=base)):
                yield StubTypeView(name, [], base=scope.names[base])
            case ObjectClass():
                required_count = sum(field.presence is Presence.REQUIRED for field in node.fields)
                is_total = 2 * required_count >= len(node.fields)
                members = [_make_member(node, field, is_total, scope, state_member) for field in node.fields]
                is_any = node.extra is None or node.extra == Scalar(ScalarKind.ANY)
                others = None if is_any or node.extra is None else render_stub_annotation(node.extra, scope)
                yield StubTypeView(name, members, _can_be_class_body(members), is_total=is_total, others=others)


def _make_member(
    node: ObjectClass, field: Field, is_total: bool, scope: Scope, state_member: StateMember
) -> StubMemberView:
    annotation = render_member_annotation(field, scope)
    is_required = field.presence is Presence.REQUIRED
    if is_required != is_total:
        annotation = f"Required[{annotation}]" if is_required else f"NotRequired[{annotation}]"
    comment = make_member_comment(field, state_member(node, field.wire))
    return StubMemberView(field.wire, make_literal(field.wire), annotation, comment)


def render_member_annotation(field: Field, scope: Scope) -> str:
    """Return the annotation of a property that is present."""
    annotation = render_stub_annotation(field.type, scope)
    is_nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{annotation} | None" if is_nullable else annotation


def make_member_comment(field: Field, stated: str) -> Literal | None:
    """Return what a comment says of a property: its description, shortened, and the keywords that types leave out."""
    says_more = not repeats_name(field.description, field.wire)
    description = shorten(field.description, MAX_MEMBER_LENGTH) if says_more else ""
    text = " ".join(part for part in (description, f"[{stated}]" if stated else "") if part)
    return make_text_comment(text) if text else None


def _can_be_class_body(members: Sequence[StubMemberView]) -> bool:
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
