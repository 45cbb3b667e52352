"""Measure what checking values against a schema can cost: visits of one part of a value, and nesting of subschemas.

The validator of generated code memoizes the result of a recursive reference for each part of the value. It evaluates
everything else as often as the schema refers to it: a definition that two alternatives refer to is evaluated twice, and
one that this definition refers to twice, four times. The numbers follow from the schema alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, IN_PLACE_KEYWORDS, iterate_references, iterate_subschemas
from mcpgen.schema.values import Json, format_pointer

_MAX_COUNT = 10**12
"""Upper bound of all counts."""
_MOST_NAMES = 100_000
"""Names of children that are copied from one subschema's load to another's. Beyond that, the children of a subschema
that applies to the same value are counted as if they were one child: perhaps too often, never too rarely."""
_NAMED_CHILDREN = frozenset(["prefixItems", "properties"])
_ANY_CHILD = "*"


@dataclass(frozen=True)
class CheckCost:
    """Cost of checking one value against a schema."""

    repeats: int
    """Times that one part of the value may be visited."""
    nesting: int
    """Subschemas nested inside each other that apply to the same part of the value."""
    path: int
    """Subschemas on the longest path through the schema that visits none of them twice."""
    recursive: bool
    """Whether the schema refers back to itself."""

    def compute_depth(self, value_depth: int) -> int:
        """Return how deeply subschemas nest when a value with this many levels is checked."""
        return self.path + (self.nesting * value_depth if self.recursive else 0)


def measure_check_cost(schema: Json, dialect: str) -> CheckCost:
    """Measure a self-contained schema, in time proportional to its size."""
    graph, recursive_targets = _collect_subschemas(SchemaIndex(schema, dialect))
    measurer = _CostMeasurer(any(_is_marking(edge.keyword) for edges in graph.values() for edge in edges))
    costs: dict[str, _SubschemaCost] = {}
    for pointer, edges in graph.items():
        costs[pointer] = measurer.measure(edges, costs) if edges else _LEAF_COST
    repeats = costs[""].most + sum(costs[target].most for target in recursive_targets)  # once each
    nesting = max(cost.nesting for cost in costs.values())
    return CheckCost(min(repeats, _MAX_COUNT), nesting, costs[""].path, bool(recursive_targets))


# --- subschemas and what they apply ----------------------------------------------------------------------------------
class _Edge(NamedTuple):
    keyword: str
    child: str | None
    """The child of the value that it applies to, None for the value itself."""
    target: str
    """Pointer of the subschema that is applied."""


def _is_marking(keyword: str) -> bool:
    return keyword.startswith("unevaluated")


def _collect_subschemas(index: SchemaIndex) -> tuple[dict[str, Sequence[_Edge]], set[str]]:
    """Return what each subschema applies, by pointer, applied ones first, and the targets of recursive references."""
    graph, recursive_targets = dict[str, Sequence[_Edge]](), set[str]()
    entered: set[str] = set()
    pending: list[tuple[str, Json, list[_Edge] | None]] = [("", index.root, None)]
    while pending:
        pointer, schema, edges = pending.pop()
        if edges is not None:
            graph[pointer] = edges
        elif pointer not in entered:
            entered.add(pointer)
            own_edges: list[_Edge] = []
            pending.append((pointer, schema, own_edges))
            for edge, subschema in _iterate_edges(index, pointer, schema) if isinstance(schema, dict) else ():
                own_edges.append(edge)
                if not subschema or subschema is True:
                    graph[edge.target] = ()  # applies nothing
                elif edge.target not in entered:
                    pending.append((edge.target, subschema, None))
                elif edge.target not in graph:
                    recursive_targets.add(edge.target)
    return graph, recursive_targets


def _iterate_edges(index: SchemaIndex, pointer: str, schema: dict[str, Json]) -> Iterator[tuple[_Edge, Json]]:
    for keyword, ref in iterate_references(schema, index.dialect):
        target = index.find_target(pointer, ref)
        if target is not None:
            yield _Edge(keyword, None, target), index.get(target)
    for path, subschema in iterate_subschemas(schema, index.dialect):
        keyword = path[0]
        if keyword not in CONSTRAINING_KEYWORDS:
            continue
        target = pointer + format_pointer(*path)
        if keyword in IN_PLACE_KEYWORDS:
            yield _Edge(keyword, None, target), subschema
        else:
            yield _Edge(keyword, "/".join(path) if keyword in _NAMED_CHILDREN else _ANY_CHILD, target), subschema


# --- costs -----------------------------------------------------------------------------------------------------------
@dataclass
class _CheckLoad:
    """Number of subschemas that visit a value, and of those that visit each of its children."""

    visits: int = 0
    children: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: _CheckLoad, keeps_names: bool) -> None:
        self.visits = min(self.visits + other.visits, _MAX_COUNT)
        if not keeps_names:
            self.add_child(_ANY_CHILD, other.most_of_children)
        elif other.children:
            for child, count in other.children.items():
                self.add_child(child, count)

    def add_child(self, child: str, count: int) -> None:
        self.children[child] = min(self.children.get(child, 0) + count, _MAX_COUNT)

    @property
    def most_of_children(self) -> int:
        everywhere = self.children.get(_ANY_CHILD, 0)
        named = max((count for child, count in self.children.items() if child != _ANY_CHILD), default=0)
        return min(everywhere + named, _MAX_COUNT)

    @property
    def most(self) -> int:
        return max(self.visits, self.most_of_children)


@dataclass(frozen=True)
class _SubschemaCost:
    checking: _CheckLoad
    marking: _CheckLoad
    """Load added by an `unevaluatedProperties` or `unevaluatedItems` around a schema, which evaluates it again."""
    nesting: int
    path: int
    most: int
    """Times that the value, or a part of it, is visited."""


_CYCLE_COST = _SubschemaCost(_CheckLoad(1), _CheckLoad(1), 1, 1, 1)
"""Cost of a recursive reference, whose result is memoized."""
_LEAF_COST = _SubschemaCost(_CheckLoad(1), _CheckLoad(), 1, 1, 1)


class _CostMeasurer:
    def __init__(self, is_marking: bool) -> None:
        self._is_marking = is_marking
        self._names_left = _MOST_NAMES

    def measure(self, edges: Sequence[_Edge], costs: dict[str, _SubschemaCost]) -> _SubschemaCost:
        checking, marking = _CheckLoad(1), _CheckLoad()
        nesting = path = 1
        is_marking = False
        for keyword, child, target in edges:
            inner = costs.get(target, _CYCLE_COST)
            path = max(path, inner.path + 1)
            if child is not None:
                checking.add_child(child, inner.most)
                if _is_marking(keyword):
                    is_marking = True
                    marking.add_child(child, inner.most)
                continue
            nesting = max(nesting, inner.nesting + 1)
            self._add(checking, inner.checking)
            if self._is_marking:
                self._add(marking, inner.marking)
                if not keyword.startswith("$"):
                    self._add(marking, inner.checking)
        if is_marking:
            self._add(checking, marking)
        return _SubschemaCost(checking, marking, nesting, path, checking.most)

    def _add(self, load: _CheckLoad, other: _CheckLoad) -> None:
        """Add a load to another; beyond `_MOST_NAMES` without telling its children apart."""
        names = len(other.children)
        keeps_names = names <= self._names_left
        self._names_left -= names if keeps_names else 0
        load.add(other, keeps_names)
