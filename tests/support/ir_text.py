"""Print the IR of a schema as text that people can read and compare."""

from __future__ import annotations

import json

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import (
    Alias,
    Array,
    Bound,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    Type,
    Union,
)

_PRESENCE_MARKS = {Presence.REQUIRED: "", Presence.OPTIONAL: "?", Presence.OPTIONAL_NULLABLE: "?null"}


def format_root(root: SchemaRoot) -> str:
    """Return a root with its classes and aliases, one property a line.

    `name?: integer` may be absent, `name?null: integer` may also be null, `*: string` are undeclared properties.
    `@output:/$defs/A` refers to the class or alias with that id, `string as @output~/$defs/B` is named by that alias.
    """
    lines = [f"root: {format_type(root.type)}", f"checks: {', '.join(root.checks) or 'none'}"]
    lines += [f"note at {pointer or 'the root'}: {note}" for pointer, note in root.notes]
    lines += [f"description: {root.description}"] if root.description else []
    lines += [f"media type: {root.media_type}"] if root.media_type else []
    lines += ["wrapper of a bare value"] if root.wrapper else []
    lines += ["untyped"] if root.untyped else []
    for node in root.nodes:
        lines += ["", *_format_node(node)]
    return "\n".join(lines) + "\n"


def format_type(node: Type) -> str:
    """Return a type on one line."""
    alias = None if isinstance(node, Ref) else node.alias
    return _format_unnamed(node) + (f" as @{alias}" if alias is not None else "")


def _format_unnamed(node: Type) -> str:
    match node:
        case Scalar(kind=kind, bounds=bounds):
            return str(kind) + _format_bounds(bounds)
        case Choice(values=values):
            return f"one of {json.dumps(values, ensure_ascii=False)}"
        case Array(item=item, bounds=bounds):
            return f"array<{format_type(item)}>{_format_bounds(bounds)}"
        case FixedArray(items=items):
            return f"tuple<{', '.join(map(format_type, items))}>"
        case Map(value=value):
            return f"map<{format_type(value)}>"
        case Union(members=members, tag=tag):
            by_tag = f" by {tag}" if tag else ""
            return f"union{by_tag}<{' | '.join(map(format_type, members))}>"
        case Ref(id=node_id):
            return f"@{node_id}"


def _format_bounds(bounds: tuple[Bound, ...]) -> str:
    return f"({', '.join(f'{name}={number}' for name, number in bounds)})" if bounds else ""


def _format_node(node: Node) -> list[str]:
    names = " or ".join(" ".join(words) or "(root)" for words in node.name_candidates)
    match node:
        case Alias():
            kind = "recursive alias" if node.recursive else "alias"
            text = f"  # {node.description}" if node.description else ""
            return [f"{kind} {node.id}, named {names}: {format_type(node.type)}{text}"]
        case ObjectClass():
            lines = [f"class {node.id} at {node.pointer or 'the root'}, named {names}"]
            lines += [f"  description: {node.description}"] if node.description else []
            lines += [_format_field(field) for field in node.fields]
            return [*lines, f"  *: {'none' if node.extra is None else format_type(node.extra)}"]


def _format_field(field: Field) -> str:
    description = f"  # {field.description}" if field.description else ""
    return f"  {field.wire}{_PRESENCE_MARKS[field.presence]}: {format_type(field.type)}{description}"
