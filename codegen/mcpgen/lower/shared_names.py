"""Name the class of several equal objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mcpgen.ir.types import NameOrigin, Node

Words = tuple[str, ...]
MAX_PATHS = 8
"""Paths that a class may be named after, the most frequent first."""


def find_group_names(nodes: Sequence[Node]) -> tuple[Words, ...]:
    """Return lists of words that may name equal nodes, the best first.

    These are the name that the user chose or else the titles and keys of definitions, the last property of the path
    that most have in common, the path that all have in common, and the whole paths; frequent ones first.
    """
    chosen = [node.name_candidates for node in nodes if node.name_origin is NameOrigin.CHOSEN]
    if chosen:
        return chosen[0]
    titled = [node for node in nodes if node.name_origin is NameOrigin.GIVEN]
    words = _sort_by_count([node.name_candidates[0] for node in titled])
    words += _sort_by_count([node.name_candidates[1] for node in titled if len(node.name_candidates) > 2])
    tails = [node.sharing.tail for node in nodes if node.sharing is not None]
    paths = [node.name_candidates[-1] for node in nodes]
    words += [*_sort_by_count(tails), _find_common_end(paths), *_sort_by_count(paths)[:MAX_PATHS]]
    return tuple(dict.fromkeys(candidate for candidate in words if candidate))


def _sort_by_count(words: Sequence[Words]) -> list[Words]:
    counts = Counter(words)
    return sorted(counts, key=lambda candidate: (-counts[candidate], len(candidate), candidate))


def _find_common_end(paths: Sequence[Words]) -> Words:
    """Return the longest list of words with which all paths end."""
    first, *others = paths
    for length in range(len(first), 0, -1):
        end = first[-length:]
        if all(path[-length:] == end for path in others):
            return end
    return ()
