"""Limits on the types that a schema may unfold into, and on how deep their classes nest when they are imported.

Python imports the module of a class inside of the import of the class that refers to it, and pydantic reads classes
that lead back to each other inside of one another: some 15 frames a class, of the 1,000 that Python has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.ir.visitors import find_strong_components, group_components
from mcpgen.lower.normalize.core import Core, CoreAlias, CoreClass, iterate_references, list_parts
from mcpgen.lower.request import LoweringLimits

MAX_TYPE_DEPTH = 40
"""Levels of one type. Python's parser takes 200 nested brackets, and a level of a type takes up to four."""
MAX_OPEN_PLACES = 300
"""Places that may be lowered inside each other: references can nest deeper than the text of a schema."""
MAX_TYPE_PARTS = 5_000
"""Parts of one type, each counted as often as it occurs."""
MIN_TYPE_BUDGET = 10_000
"""Types that every schema may unfold into, however small it is."""
LOOKUPS_PER_TYPE = 5
"""Places that may be read for each type."""


class SchemaTooLarge(Exception):
    """A schema unfolds into more than a package should hold; the message names the limit."""


class LoweringBudget:
    """Counts what a schema unfolds into, so that the work is at most a constant times its subschemas."""

    def __init__(self, limits: LoweringLimits, subschemas: int) -> None:
        self._unfolding = limits.unfolding
        self._types_left = max(MIN_TYPE_BUDGET, limits.unfolding * subschemas)
        self._lookups_left = self._types_left * LOOKUPS_PER_TYPE

    def count_places(self, count: int = 1) -> None:
        """Count places that are read; raise `SchemaTooLarge` if there are too many."""
        self._lookups_left -= count
        if self._lookups_left < 0:
            self._refuse()

    def count_types(self, count: int = 1) -> None:
        """Count types that a module will contain; raise `SchemaTooLarge` if there are too many."""
        self._types_left -= count
        if self._types_left < 0:
            self._refuse()

    def _refuse(self) -> None:
        raise SchemaTooLarge(
            f"it unfolds into more than {self._unfolding} types for each subschema (`limits.unfolding`)"
        )


@dataclass(frozen=True)
class TypeSize:
    """Size of a type in the core language."""

    core: Core
    """The type itself, held so that no other object gets its `id`."""
    levels: int
    parts: int


class TypeSizes:
    """Measures types, each part once."""

    def __init__(self) -> None:
        self._sizes: dict[int, TypeSize] = {}

    def measure(self, core: Core) -> TypeSize:
        """Return the levels and the parts of a type."""
        size = self._sizes.get(id(core))
        if size is None:
            inner = [self.measure(part) for part in list_parts(core)]
            values = core.get("enum")
            count = len(values) if isinstance(values, list) else 1
            size = TypeSize(
                core, 1 + max((part.levels for part in inner), default=0), count + sum(part.parts for part in inner)
            )
            self._sizes[id(core)] = size
        return size


# --- nesting of classes ----------------------------------------------------------------------------------------------
MAX_NESTED_CLASSES = 40
"""Classes that may be imported inside of each other; it leaves two thirds of the stack to whoever imports a package."""
MAX_STEPS = 1_000_000
"""Steps to find out how deep classes nest that lead back to each other: where it takes more, there are too many."""
Edges = dict[str, list[str]]


def check_nesting(classes: Mapping[str, CoreClass], aliases: Mapping[str, CoreAlias]) -> None:
    """Raise `SchemaTooLarge` if too many classes refer to one another in a row to be imported."""
    if len(classes) <= MAX_NESTED_CLASSES:
        return
    depth = measure_nesting(_find_edges(classes, aliases), frozenset(classes))
    if depth > MAX_NESTED_CLASSES:
        raise SchemaTooLarge(
            f"more than {MAX_NESTED_CLASSES} of its classes refer to one another in a row, which Python cannot import"
        )


def measure_nesting(edges: Edges, counted: frozenset[str]) -> int:
    """Return how many nodes are read inside of each other, of those that count."""
    components = find_strong_components(edges)
    members = group_components(components)
    depths: dict[int, int] = {}
    for number in sorted(members, reverse=True):
        leads_to = {components[target] for node in members[number] for target in edges[node]} - {number}
        own = _measure_component(edges, {*members[number]}, counted)
        depths[number] = own + max((depths[other] for other in leads_to), default=0)
    return max(depths.values(), default=0)


def _measure_component(edges: Edges, members: set[str], counted: frozenset[str]) -> int:
    """Return how deep a search goes that begins anywhere in a component, as pydantic's does in each class."""
    if len(members) == 1:
        return len(members & counted)
    inner = {node: [target for target in edges[node] if target in members] for node in members}
    steps = len(members) * sum(map(len, inner.values()))
    if steps > MAX_STEPS:
        return len(members & counted)
    deepest = 0
    for start in sorted(members):
        deepest = max(deepest, _measure_search(inner, start, counted))
        if deepest > MAX_NESTED_CLASSES:
            break  # which is all that anybody asks
    return deepest


def _measure_search(edges: Edges, start: str, counted: frozenset[str]) -> int:
    deepest = depth = int(start in counted)
    visited, path = {start}, [(start, iter(edges[start]))]
    while path:
        node, targets = path[-1]
        target = next((one for one in targets if one not in visited), None)
        if target is None:
            path.pop()
            depth -= node in counted
        else:
            visited.add(target)
            path.append((target, iter(edges[target])))
            depth += target in counted
            deepest = max(deepest, depth)
    return deepest


def _find_edges(classes: Mapping[str, CoreClass], aliases: Mapping[str, CoreAlias]) -> Edges:
    edges: Edges = {key: [*iterate_references(alias.core)] for key, alias in aliases.items()}
    for key, core_class in classes.items():
        cores = [*(prop.core for prop in core_class.properties), core_class.extra or {}]
        edges[key] = [target for core in cores for target in iterate_references(core)]
    return edges
