"""Reachability and strongly connected components of small graphs."""

from __future__ import annotations

import itertools
import random

import pytest
from mcpgen.ir.graph import find_reachable, find_strong_components, reverse_edges


def reaches(edges: dict[str, list[str]], start: str, goal: str) -> bool:
    visited, pending = set[str](), [start]
    while pending:
        node = pending.pop()
        if node == goal:
            return True
        if node not in visited:
            visited.add(node)
            pending += edges[node]
    return False


def test_what_leads_somewhere_is_found() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"], "e": ["outside"]}
    assert find_reachable(edges, ["a", "e"]) == {"a", "b", "c", "e", "outside"}
    assert find_reachable(reverse_edges(edges), ["c"]) == {"a", "b", "c", "d"}
    assert reverse_edges(edges)["outside"] == ["e"]


def test_a_cycle_is_one_component_and_what_hangs_on_it_is_not() -> None:
    components = find_strong_components({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []})
    assert components["a"] == components["b"] == components["c"] != components["d"]


@pytest.mark.parametrize("seed", range(20))
def test_nodes_share_a_component_if_each_reaches_the_other(seed: int) -> None:
    source = random.Random(seed)
    names = "abcdef"
    edges = {name: [other for other in names if source.random() < 0.25] for name in names}
    components = find_strong_components(edges)
    for left, right in itertools.combinations(names, 2):
        mutual = reaches(edges, left, right) and reaches(edges, right, left)
        assert (components[left] == components[right]) is mutual


def test_a_long_chain_needs_no_recursion() -> None:
    edges = {str(number): [str(number + 1)] for number in range(5_000)} | {"5000": ["0"]}
    assert len(set(find_strong_components(edges).values())) == 1
