"""Walk over types, classes and aliases, and rebuild them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

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


def list_child_types(node: Type) -> tuple[Type, ...]:
    """Return the types directly inside a type."""
    match node:
        case Array(item=item):
            return (item,)
        case FixedArray(items=items):
            return items
        case Map(value=value):
            return (value,)
        case Union(members=members):
            return members
        case Scalar() | Choice() | Ref():
            return ()


def rebuild_type(node: Type, children_of: Callable[[Type], Type]) -> Type:
    """Return a type with each of its children replaced."""
    match node:
        case Array(item=item):
            return replace(node, item=children_of(item))
        case FixedArray(items=items):
            return replace(node, items=tuple(children_of(item) for item in items))
        case Map(value=value):
            return replace(node, value=children_of(value))
        case Union(members=members):
            return replace(node, members=tuple(children_of(member) for member in members))
        case Scalar() | Choice() | Ref():
            return node


def rebuild_node(node: Node, change: Callable[[Type], Type]) -> Node:
    """Return a class or alias with each of its types replaced."""
    match node:
        case ObjectClass():
            fields = tuple(replace(field, type=change(field.type)) for field in node.fields)
            base = None if node.base is None else change(node.base)
            assert base is None or isinstance(base, Ref)
            return replace(node, fields=fields, extra=None if node.extra is None else change(node.extra), base=base)
        case Alias():
            return replace(node, type=change(node.type))


def list_node_types(node: Node) -> tuple[Type, ...]:
    """Return the types of a class's properties, with the class that it inherits, or the type of an alias."""
    match node:
        case ObjectClass(fields=fields, extra=extra, base=base):
            return tuple(f.type for f in fields) + tuple(part for part in (extra, base) if part is not None)
        case Alias(type=inner):
            return (inner,)


def walk_type(node: Type) -> Iterator[Type]:
    """Yield a type and all types inside it, without following references."""
    yield node
    for child in list_child_types(node):
        yield from walk_type(child)


def collect_refs(*nodes: Type) -> list[str]:
    """Return the ids of the references in some types and of the aliases that name them, each once, in order."""
    ids: dict[str, None] = {}
    for node in nodes:
        _add_refs(node, ids)
    return [*ids]


def _add_refs(node: Type, ids: dict[str, None]) -> None:
    """Add the ids of the references in a type, in the order of `walk_type`; calls cost less than its generators."""
    node_id = node.id if isinstance(node, Ref) else node.alias
    if node_id is not None:
        ids[node_id] = None
    for child in list_child_types(node):
        _add_refs(child, ids)


def list_reached(starts: Iterable[str], nodes: Mapping[str, Node]) -> list[str]:
    """Return the sorted ids of the nodes among some ids, and of those that they lead to."""
    reached: set[str] = set()
    pending = [*starts]
    while pending:
        key = pending.pop()
        if key in nodes and key not in reached:
            reached.add(key)
            pending.extend(collect_refs(*list_node_types(nodes[key])))
    return sorted(reached)


def map_references(node: Type, ids: Mapping[str, str | None]) -> Type:
    """Return a type whose references and aliases have the new ids; an alias whose new id is None is dropped."""
    if isinstance(node, Ref):
        return Ref(ids.get(node.id) or node.id)
    rebuilt = rebuild_type(node, lambda child: map_references(child, ids))
    if isinstance(rebuilt, Ref) or rebuilt.alias is None or rebuilt.alias not in ids:
        return rebuilt
    return replace(rebuilt, alias=ids[rebuilt.alias])


def can_contain_null(start: Type, nodes: Mapping[str, Node]) -> bool:
    """Return whether null can be a part of a type's values; `nodes` are the classes and aliases by their ids."""
    pending, visited = [start], set[str]()
    while pending:
        for part in walk_type(pending.pop()):
            match part:
                case Scalar(kind=ScalarKind.NULL | ScalarKind.ANY):
                    return True
                case Choice(values=values) if None in values:
                    return True
                case Ref(id=key) if key not in visited:
                    visited.add(key)
                    node = nodes[key]
                    if isinstance(node, ObjectClass) and any(
                        field.presence is Presence.OPTIONAL_NULLABLE for field in node.fields
                    ):
                        return True
                    pending.extend(list_node_types(node))
                case _:
                    pass
    return False
