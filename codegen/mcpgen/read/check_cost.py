"""Measure what checking values against a schema can cost: visits of one part of a value, and nesting of subschemas.

The validator of generated code memoizes the result of a recursive reference for each part of the value. It evaluates
everything else as often as the schema refers to it: a definition that two alternatives refer to is evaluated twice, and
one that this definition refers to twice, four times. The numbers follow from the schema alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

_MAX_COUNT = 10**12
"""Upper bound of all counts."""
_IN_PLACE_KEYWORDS = frozenset("allOf anyOf dependencies dependentSchemas else if not oneOf then".split())
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
        """Return how deeply subschemas nest while a value with this many levels is checked."""
        return self.path + (self.nesting * value_depth if self.recursive else 0)


@dataclass
class _CheckLoad:
    """Number of subschemas that visit a value, and of those that visit each of its children."""

    visits: int = 0
    children: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: _CheckLoad) -> None:
        self.visits = min(self.visits + other.visits, _MAX_COUNT)
        for child, count in other.children.items():
            self.add_child(child, count)

    def add_child(self, child: str, count: int) -> None:
        self.children[child] = min(self.children.get(child, 0) + count, _MAX_COUNT)

    @property
    def most(self) -> int:
        """Times that the value, or a part of it, is visited."""
        everywhere = self.children.get(_ANY_CHILD, 0)
        named = max((count for child, count in self.children.items() if child != _ANY_CHILD), default=0)
        return max(self.visits, min(everywhere + named, _MAX_COUNT))


@dataclass(frozen=True)
class _SubschemaCost:
    checking: _CheckLoad
    marking: _CheckLoad
    """Load added by an `unevaluatedProperties` or `unevaluatedItems` around a schema, which evaluates it again."""
    nesting: int
    path: int


_CYCLE_COST = _SubschemaCost(_CheckLoad(1), _CheckLoad(1), 1, 1)
"""Cost of a recursive reference, whose result is memoized."""


def measure_check_cost(schema: Json, dialect: str) -> CheckCost:
    """Measure a self-contained schema, in time proportional to its size."""
    index = SchemaIndex(schema, dialect)
    measured: dict[str, _SubschemaCost | None] = {}
    recursive_targets: set[str] = set()
    pending = [("", False)]
    while pending:
        at, is_ready = pending.pop()
        if is_ready:
            measured[at] = _measure_subschema(index, dialect, at, measured)
        elif at not in measured:
            measured[at] = None
            pending.append((at, True))
            for _, _, target in _iterate_edges(index, dialect, at):
                if target not in measured:
                    pending.append((target, False))
                elif measured[target] is None:
                    recursive_targets.add(target)
    costs = {at: cost for at, cost in measured.items() if cost is not None}
    repeats = costs[""].checking.most + sum(costs[target].checking.most for target in recursive_targets)  # once each
    nesting = max(cost.nesting for cost in costs.values())
    return CheckCost(min(repeats, _MAX_COUNT), nesting, costs[""].path, bool(recursive_targets))


def _measure_subschema(
    index: SchemaIndex, dialect: str, at: str, measured: dict[str, _SubschemaCost | None]
) -> _SubschemaCost:
    checking, marking, repeated = _CheckLoad(1), _CheckLoad(), _CheckLoad()
    nesting = path = 1
    is_marking = False
    for keyword, child, target in _iterate_edges(index, dialect, at):
        inner = measured.get(target) or _CYCLE_COST
        path = max(path, inner.path + 1)
        if child is not None:
            checking.add_child(child, inner.checking.most)
            if keyword.startswith("unevaluated"):
                is_marking = True
                marking.add_child(child, inner.checking.most)
            continue
        nesting = max(nesting, inner.nesting + 1)
        checking.add(inner.checking)
        repeated.add(inner.marking)
        if not keyword.startswith("$"):
            repeated.add(inner.checking)
    marking.add(repeated)
    if is_marking:
        checking.add(marking)
    return _SubschemaCost(checking, marking, nesting, path)


def _iterate_edges(index: SchemaIndex, dialect: str, at: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield each edge from a subschema to another: keyword, child of the value (None: the value itself), pointer."""
    schema = follow_pointer(index.root, parse_pointer(at))
    if not isinstance(schema, dict):
        return
    for keyword in ("$ref", "$dynamicRef"):
        ref = schema.get(keyword)
        target = index.find_target(at, ref) if isinstance(ref, str) else None
        if target is not None:
            yield keyword, None, target
    for path, _ in iterate_subschemas(schema, dialect):
        keyword = path[0]
        if keyword in ("$defs", "definitions", "contentSchema"):
            continue
        target = at + format_pointer(*path)
        if keyword in _IN_PLACE_KEYWORDS:
            yield keyword, None, target
        else:
            yield keyword, "/".join(path) if keyword in _NAMED_CHILDREN else _ANY_CHILD, target
