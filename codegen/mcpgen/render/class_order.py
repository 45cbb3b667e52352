"""Sort the classes of a module: by use, as a reader meets them, or by dependency, as Python needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mcpgen.ir.types import Alias, Node, ObjectClass, Type
from mcpgen.ir.visitors import collect_refs, list_node_types


def sort_by_use(nodes: Mapping[str, Node], heads: Iterable[str], first: Iterable[Type]) -> list[str]:
    """Return the ids in the order in which a reader needs them, as far as Python can run it.

    A class comes after the class that it inherits from, and a type alias after what it names.

    Args:
        nodes: the classes and aliases by id.
        heads: the ids to begin with.
        first: the types whose classes come next, each followed by the classes that it refers to. All others follow.
    """
    order = dict.fromkeys(head for head in heads if head in nodes)
    used = [ref for ref in collect_refs(*first) if ref in nodes]
    entered: set[str] = set()
    stack = [*reversed((*used, *order, *nodes))]
    while stack:
        node_id = stack.pop()
        if node_id not in entered:
            entered.add(node_id)
            order.setdefault(node_id)
            stack.extend(reversed(_list_refs(nodes[node_id], nodes)))
    return _put_after(order, lambda node_id: _list_needed(nodes[node_id], nodes))


def sort_by_dependency(nodes: Mapping[str, Node]) -> list[str]:
    """Return the ids in depth-first order, dependencies first."""
    return _put_after(nodes, lambda node_id: _list_refs(nodes[node_id], nodes))


def _put_after(starts: Iterable[str], list_earlier: Callable[[str], list[str]]) -> list[str]:
    """Return the ids in their order, but each after those that `list_earlier` returns, without recursion."""
    order: list[str] = []
    entered: set[str] = set()
    for start in starts:
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            node_id, is_leaving = stack.pop()
            if is_leaving:
                order.append(node_id)
                continue
            if node_id in entered:
                continue
            entered.add(node_id)
            stack.append((node_id, True))
            stack.extend((ref, False) for ref in reversed(list_earlier(node_id)) if ref not in entered)
    return order


def find_incomplete(order: Iterable[str], nodes: Mapping[str, Node]) -> set[str]:
    """Return the nodes that refer to a later one, or to one that does."""
    incomplete: set[str] = set()
    defined: set[str] = set()
    for node_id in order:
        refs = _list_refs(nodes[node_id], nodes)
        if any((ref not in defined and ref != node_id) or ref in incomplete for ref in refs):
            incomplete.add(node_id)
        defined.add(node_id)
    return incomplete


def _list_refs(node: Node, nodes: Mapping[str, Node]) -> list[str]:
    return [ref for ref in collect_refs(*list_node_types(node)) if ref in nodes]


def _list_needed(node: Node, nodes: Mapping[str, Node]) -> list[str]:
    """Return the ids that Python needs when it runs the statement that defines a node."""
    match node:
        case ObjectClass(base=base):
            return [] if base is None or base.id not in nodes else [base.id]
        case Alias(recursive=recursive):
            return [] if recursive else _list_refs(node, nodes)
