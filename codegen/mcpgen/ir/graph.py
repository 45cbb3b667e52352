"""Reachability and cycles in the graph of references between types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


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


def reverse_edges(edges: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the nodes that lead to each node directly."""
    sources: dict[str, list[str]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            sources.setdefault(target, []).append(node)
    return sources


def find_strong_components(edges: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Number the strongly connected components of a graph.

    `edges` maps each node to its targets, which have to be nodes too. Returns the component of each node: nodes that
    lead to each other have the same number.
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


def _order_by_finish(edges: Mapping[str, Sequence[str]]) -> list[str]:
    """List the nodes in the order in which a depth-first search leaves them."""
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
