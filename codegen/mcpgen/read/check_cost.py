"""What checking a value costs by the schema alone: how often a part of it is looked at, and how deep the check nests.

The validator of generated code remembers what a recursive reference said of a part of the value. Everything else it
asks as often as the schema says it: a definition that two alternatives refer to is asked twice, one that those two
refer to twice is asked four times. The numbers follow from the schema, so they are known when it is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

_MAX_COUNT = 10**12
"""Numbers stop to grow here."""
_IN_PLACE_KEYWORDS = frozenset("allOf anyOf dependencies dependentSchemas else if not oneOf then".split())
_NAMED_CHILDREN = frozenset(["prefixItems", "properties"])
_ANY_CHILD = "*"


@dataclass(frozen=True)
class CheckCost:
    """What a schema makes of the check of one value."""

    repeats: int
    """How often one part of the value may be looked at."""
    nesting: int
    """How many subschemas apply to the same part of the value, one inside of the other."""
    path: int
    """How many subschemas the longest way through the schema has, without going back to one of them."""
    recursive: bool
    """Whether the schema refers back to itself."""

    def compute_depth(self, value_depth: int) -> int:
        """Return how many subschemas the check of a value nests that has so many levels."""
        return self.path + (self.nesting * value_depth if self.recursive else 0)


@dataclass
class _CheckLoad:
    """How many subschemas look at a value, and how many of those below it look at each of its children."""

    own: int = 0
    children: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: _CheckLoad) -> None:
        self.own = min(self.own + other.own, _MAX_COUNT)
        for child, count in other.children.items():
            self.add_child(child, count)

    def add_child(self, child: str, count: int) -> None:
        self.children[child] = min(self.children.get(child, 0) + count, _MAX_COUNT)

    @property
    def most(self) -> int:
        """How often the value, or a part of it, is looked at."""
        everywhere = self.children.get(_ANY_CHILD, 0)
        named = max((count for child, count in self.children.items() if child != _ANY_CHILD), default=0)
        return max(self.own, min(everywhere + named, _MAX_COUNT))


@dataclass(frozen=True)
class _SubschemaCost:
    checking: _CheckLoad
    marking: _CheckLoad
    """What `unevaluatedProperties` or `unevaluatedItems` around a schema adds: it asks again what was evaluated."""
    nesting: int
    path: int


_CYCLE_COST = _SubschemaCost(_CheckLoad(1), _CheckLoad(1), 1, 1)
"""A reference back to what is being looked at, whose answer is remembered."""


def measure_check_cost(schema: Json, dialect: str) -> CheckCost:
    """Measure a self-contained schema, in time that grows with its size."""
    index = SchemaIndex(schema, dialect)
    measured: dict[str, _SubschemaCost | None] = {}
    back: set[str] = set()
    todo = [("", False)]
    while todo:
        at, ready = todo.pop()
        if ready:
            measured[at] = _measure_subschema(index, dialect, at, measured)
        elif at not in measured:
            measured[at] = None
            todo.append((at, True))
            for _, _, target in _iterate_edges(index, dialect, at):
                if target not in measured:
                    todo.append((target, False))
                elif measured[target] is None:
                    back.add(target)
    known = {at: one for at, one in measured.items() if one is not None}
    repeats = known[""].checking.most + sum(known[target].checking.most for target in back)  # once each
    nesting = max(one.nesting for one in known.values())
    return CheckCost(min(repeats, _MAX_COUNT), nesting, known[""].path, bool(back))


def _measure_subschema(
    index: SchemaIndex, dialect: str, at: str, measured: dict[str, _SubschemaCost | None]
) -> _SubschemaCost:
    checking, marking, again = _CheckLoad(1), _CheckLoad(), _CheckLoad()
    nesting = path = 1
    marks = False
    for keyword, child, target in _iterate_edges(index, dialect, at):
        inner = measured.get(target) or _CYCLE_COST
        path = max(path, inner.path + 1)
        if child is not None:
            checking.add_child(child, inner.checking.most)
            if keyword.startswith("unevaluated"):
                marks = True
                marking.add_child(child, inner.checking.most)
            continue
        nesting = max(nesting, inner.nesting + 1)
        checking.add(inner.checking)
        again.add(inner.marking)
        if not keyword.startswith("$"):
            again.add(inner.checking)
    marking.add(again)
    if marks:
        checking.add(marking)
    return _SubschemaCost(checking, marking, nesting, path)


def _iterate_edges(index: SchemaIndex, dialect: str, at: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield each edge: the keyword, the child of the value that it is about (None: the value itself), the pointer."""
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
