"""Render TypeScript types of the tools that MCP Apps use: their arguments, and their results as apps receive them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import assert_never

from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.types import (
    ANY,
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
from mcpgen.ir.visitors import collect_refs, walk_reached
from mcpgen.literals import make_jsdoc, make_typescript_literal
from mcpgen.names.identifiers import add_number
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.header import add_plain_header
from mcpgen.render.scope import Scope
from mcpgen.render.stubs import StateMember, map_own_ids, state_member_keywords
from mcpgen.render.types import make_tool_scope
from mcpgen.targets import ANY_JSON_RESULT_SINCE, get_default_protocol, get_sdk

_HEAD = """/* eslint-disable */
/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
"""
_SCALARS = {
    ScalarKind.INTEGER: "number",
    ScalarKind.NUMBER: "number",
    ScalarKind.BOOLEAN: "boolean",
    ScalarKind.NULL: "null",
    ScalarKind.ANY: "Json",
}
"""The scalars that are no strings in JSON."""
_OWN_NAMES = ("Json", "Tools")
"""Names of this module. TypeScript's own types begin with small letters, those of classes with capitals."""
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_PLAIN_TYPE = re.compile(r"[\w$]+(?:\[\])*", re.ASCII)


def render_app_types(package: Package, names: PackageNames, definitions: Iterable[ToolDefinition]) -> str:
    """Return the file with the types of the tools that apps use; without any, its interface `Tools` is empty."""
    used_by_apps = {definition.name: definition for definition in definitions if definition.is_for_apps}
    tools = [tool for tool in package.tools if tool.wire in used_by_apps]
    own_names = [names.tools[tool.wire] for tool in tools]
    taken = {*_OWN_NAMES, *(name for own in own_names for name in _list_root_names(own))}
    own_ids, shared = map_own_ids(package), {node.id: node for node in package.shared}
    printed, parts, entries = dict[str, str](), [_HEAD], list[str]()
    for tool, own in zip(tools, own_names, strict=True):
        scope = make_tool_scope(tool.nodes, own, names, shared)
        roots = [root.type for root in tool.roots]
        nodes = [scope.nodes[key] for key in walk_reached(collect_refs(*roots), scope.nodes)]
        scope = replace(scope, names=_name_types(nodes, scope, own, tool, shared, printed, taken))
        state_member = partial(state_member_keywords, used_by_apps[tool.wire], own_ids[tool.wire])
        for node in nodes:
            if node.id not in printed:
                parts.append(_render_node(node, scope, state_member))
            if node.id in shared:
                printed[node.id] = scope.names[node.id]
        parts += _render_roots(tool, own, scope, get_default_protocol(get_sdk(package.sdk)))
        result = "undefined" if tool.output is None else own.result
        doc = make_jsdoc(tool.description, 2)
        wire = _render_name(tool.wire)
        error = "" if own.error is None else f"; error: {own.error}"
        entries.append(f"{doc}  {wire}: {{ arguments: {own.arguments}; result: {result}{error} }};\n")
    doc = make_jsdoc("The tools that the app uses: what they take, and the `structuredContent` of their results.", 0)
    parts.append(f"{doc}export interface Tools {{\n{''.join(entries)}}}\n")
    return add_plain_header("\n".join(parts), "", "//")


def _name_types(
    nodes: Iterable[Node],
    scope: Scope,
    own: ToolNames,
    tool: ToolModule,
    shared: Mapping[str, Node],
    printed: Mapping[str, str],
    taken: set[str],
) -> dict[str, str]:
    """Name the types of a tool as in Python, with a number where another tool's type has the name."""
    chosen = {**printed}
    roots = {*_list_root_names(own)} - ({own.result} if tool.wrapped != "never" else set())
    for node in nodes:
        name = scope.names[node.id]
        if node.id in printed:
            continue
        if name not in roots or node.id in shared:
            numbered = (add_number(name, number) for number in count(2))
            name = next(candidate for candidate in chain([name], numbered) if candidate not in taken)
            taken.add(name)
        chosen[node.id] = name
    return chosen


def _list_root_names(own: ToolNames) -> Iterator[str]:
    """Yield the names of the types of a tool's arguments, result and errors."""
    yield from (own.arguments, own.result, *([own.error] if own.error else ()))


def _render_roots(tool: ToolModule, own: ToolNames, scope: Scope, newest: str) -> Iterator[str]:
    """Yield the types of the arguments, the errors and the result that are not printed yet as classes of the tool."""
    declared = {*scope.names.values()}
    for name, root in ((own.arguments, tool.input), (own.error, tool.error)):
        if name is not None and root is not None and name not in declared:
            yield f"{make_jsdoc(root.description, 0)}export type {name} = {_render(root.type, scope)};\n"
    if tool.output is None or own.result in declared:
        return
    value, description = _render(tool.output.type, scope), tool.output.description
    if tool.wrapped != "never":
        is_always = tool.wrapped == "always" or newest < ANY_JSON_RESULT_SINCE
        since = "" if is_always else f", under protocol versions before {ANY_JSON_RESULT_SINCE}"
        description += f"\n\nNot an object, so it arrives as {{ result: … }}{since}."
        value = f"{{ result: {value} }}" if is_always else f"{value} | {{ result: {value} }}"
    yield f"{make_jsdoc(description, 0)}export type {own.result} = {value};\n"


def _render_node(node: Node, scope: Scope, state_member: StateMember) -> str:
    name, doc = scope.names[node.id], make_jsdoc(node.description, 0)
    match node:
        case Alias():
            return f"{doc}export type {name} = {_render(node.type, scope)};\n"
        case ObjectClass(base=Ref() as base):
            return f"{doc}export type {name} = {_render(base, scope)};\n"
        case ObjectClass(fields=()):
            value = "never" if node.extra is None else _render(node.extra, scope)
            return f"{doc}export type {name} = {{ [key: string]: {value} }};\n"
        case ObjectClass():
            members = "".join(_render_member(field, scope, state_member(node, field.wire)) for field in node.fields)
            # no interface: one is not assignable to `Record<string, unknown>`, which clients take as arguments
            return f"{doc}export type {name} = {{\n{members}{_render_others(node, scope)}}};\n"


def _render_member(field: Field, scope: Scope, stated: str) -> str:
    doc = make_jsdoc("\n".join(part for part in (field.description, f"[{stated}]" if stated else "") if part), 2)
    mark = "" if field.presence is Presence.REQUIRED else "?"
    return f"{doc}  {_render_name(field.wire)}{mark}: {_render_value(field, scope)};\n"


def _render_value(field: Field, scope: Scope) -> str:
    value = _render(field.type, scope)
    is_nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{value} | null" if is_nullable else value


def _render_others(node: ObjectClass, scope: Scope) -> str:
    """Return the member for undeclared properties whose type is known; TypeScript wants it to fit all properties."""
    if node.extra in (None, ANY):
        return ""
    values = [_render(node.extra, scope), *(_render_value(field, scope) for field in node.fields)]
    values += [] if all(field.presence is Presence.REQUIRED for field in node.fields) else ["undefined"]
    return f"  [key: string]: {' | '.join(dict.fromkeys(values))};\n"


def _render_name(wire: str) -> str:
    return wire if _PLAIN_NAME.fullmatch(wire) else str(make_typescript_literal(wire))


def _render(node: Type, scope: Scope) -> str:
    """Return a type."""
    alias = None if isinstance(node, Ref) else scope.nodes.get(node.alias or "")
    if isinstance(alias, Alias):
        name = scope.names[alias.id]
        return f"{name} | null" if scope.admits_none(node) and not scope.admits_none(alias.type) else name
    match node:
        case Scalar(kind=kind):
            return _SCALARS.get(kind, "string")
        case Choice(values=values):
            return " | ".join(str(make_typescript_literal(value)) for value in values)
        case Array(item=item):
            inner = _render(item, scope)
            return f"{inner}[]" if _PLAIN_TYPE.fullmatch(inner) else f"({inner})[]"
        case FixedArray(items=items):
            return f"[{', '.join(_render(item, scope) for item in items)}]"
        case Map(value=value):
            return f"{{ [key: string]: {_render(value, scope)} }}"
        case Union(members=members):
            return " | ".join(dict.fromkeys(_render(member, scope) for member in members))
        case Ref(id=key):
            return scope.names[key]
        case _:
            assert_never(node)
