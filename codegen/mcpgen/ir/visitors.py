"""Walk over types, classes and aliases, rebuild them, and find what leads to what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from mcpgen.ir.types import (
    Alias,
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Ref,
    Scalar,
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
            fields = tuple(
                field if (changed := change(field.type)) is field.type else replace(field, type=changed)
                for field in node.fields
            )
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
    return sorted(walk_reached(starts, nodes))


def walk_reached(starts: Iterable[str], nodes: Mapping[str, Node]) -> list[str]:
    """Return the same ids in the order in which a reader meets them."""
    reached: dict[str, None] = {}
    pending = [*starts][::-1]
    while pending:
        key = pending.pop()
        if key in nodes and key not in reached:
            reached[key] = None
            pending.extend(reversed(collect_refs(*list_node_types(nodes[key]))))
    return [*reached]


def map_references(node: Type, ids: Mapping[str, str | None]) -> Type:
    """Return a type whose references and aliases have the new ids; an alias whose new id is None is dropped."""
    if isinstance(node, Ref):
        return Ref(ids.get(node.id) or node.id)
    rebuilt = rebuild_type(node, lambda child: map_references(child, ids))
    if isinstance(rebuilt, Ref) or rebuilt.alias is None or rebuilt.alias not in ids:
        return rebuilt
    return replace(rebuilt, alias=ids[rebuilt.alias])


# --- graphs -----------------------------------------------------------------------------------------------------------
def find_reachable(edges: Mapping[str, Sequence[str]], starts: Iterable[str]) -> set[str]:
    """Return the nodes that some nodes lead to, these included."""
    reached: set[str] = set()
    pending = [*starts]
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending.extend(edges.get(node, ()))
    return reached


def map_edges(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """Return the ids of the nodes that each of some nodes refers to."""
    return {
        key: [target for target in collect_refs(*list_node_types(node)) if target in nodes]
        for key, node in nodes.items()
    }


def reverse_edges(edges: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the nodes that lead to each node directly."""
    sources: dict[str, list[str]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            sources.setdefault(target, []).append(node)
    return sources


def find_strong_components(edges: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Number the strongly connected components of a graph, whose targets are all among its nodes.

    Nodes that lead to each other have the same number, and an edge to another component leads to a higher one.
    """
    sources = reverse_edges(edges)
    components: dict[str, int] = {}
    for number, start in enumerate(reversed(_order_by_finish(edges))):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in components:
                components[node] = number
                stack.extend(sources[node])
    return components


def group_components(components: Mapping[str, int]) -> dict[int, list[str]]:
    """Return the nodes of each component, by its number."""
    groups: dict[int, list[str]] = {}
    for node, number in components.items():
        groups.setdefault(number, []).append(node)
    return groups


def _order_by_finish(edges: Mapping[str, Sequence[str]]) -> list[str]:
    finished: list[str] = []
    entered: set[str] = set()
    for start in edges:
        stack = [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                finished.append(node)
            elif node not in entered:
                entered.add(node)
                stack.append((node, True))
                stack.extend((target, False) for target in edges[node])
    return finished


# --- unions that contain themselves -----------------------------------------------------------------------------------
class RecursiveUnions:
    """Unions of some classes and aliases, which are given by their ids."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes

    def branches_back(self, union: Union) -> bool:
        """Return whether a value fits several members that lead back to the union, each by way of the value's parts."""
        circles = {self._circles[key] for key in self._owners.get(union, ())}
        recursive = [
            member for member in union.members if any(self._circles.get(key) in circles for key in collect_refs(member))
        ]
        kinds = [kind for member in recursive for kind in self._list_container_kinds(member, frozenset())]
        return len(kinds) > len(set(kinds))

    @cached_property
    def _owners(self) -> dict[Union, list[str]]:
        owners: dict[Union, list[str]] = {}
        for key, node in self._nodes.items():
            for node_type in list_node_types(node):
                for union in (part for part in walk_type(node_type) if isinstance(part, Union)):
                    owners.setdefault(union, []).append(key)
        return owners

    @cached_property
    def _circles(self) -> dict[str, int]:
        return find_strong_components(map_edges(self._nodes))

    def _list_container_kinds(self, node: Type, entered: frozenset[str]) -> list[str]:
        match node:
            case Array() | FixedArray():
                return ["array"]
            case Map():
                return ["object"]
            case Union(members=members):
                return [kind for member in members for kind in self._list_container_kinds(member, entered)]
            case Ref(id=key):
                target = self._nodes.get(key)
                if not isinstance(target, Alias):
                    return ["object"]
                return [] if key in entered else self._list_container_kinds(target.type, entered | {key})
            case Scalar() | Choice():
                return []
