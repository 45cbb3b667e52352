"""Interface of the inclusion check for the modules that compare single keywords, and the form of their rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import KEYWORD_TABLE, Role
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ValuePath:
    """Path from the whole value to the one that is compared."""

    steps: tuple[str, ...] = ()
    """Property names, and `*` for items and undeclared properties."""
    depth: int = 0
    """Levels of the value."""
    nesting: int = 0
    """Questions that are being answered, one inside the other."""

    def step_into(self, step: str) -> ValuePath:
        """Return the path to a property or item."""
        return replace(self, steps=(*self.steps, step), depth=self.depth + 1)

    def nest(self) -> ValuePath:
        """Return the same path, one question deeper."""
        return replace(self, nesting=self.nesting + 1)


@dataclass(frozen=True)
class Question:
    """Question whether the values of one kind of a conjunction are valid under a subschema of the consumer."""

    producer: Conjunction
    consumer: SchemaLocation
    kind: str
    """One of `VALUE_KINDS`."""
    path: ValuePath


class InclusionContext(Protocol):
    """Comparison of two documents, as the keyword modules see it."""

    producer: SchemaView
    consumer: SchemaView
    equivalence: EquivalenceChecker
    disjointness: DisjointnessChecker

    def check_location(self, producer: Conjunction, consumer: SchemaLocation, path: ValuePath) -> list[Gap]:
        """Return the gaps between a conjunction and a subschema of the consumer."""
        ...

    def check_kind(self, question: Question) -> list[Gap]:
        """Return the gaps for the values of one kind."""
        ...

    def check_subschema(self, question: Question, consumer: SchemaLocation) -> list[Gap]:
        """Return the gaps for the same values and another subschema of the consumer."""
        ...

    def keeps_keywords(self, question: Question, *keywords: str) -> bool:
        """Return whether a part of the producer's schema has the same keywords with equivalent values."""
        ...


GapFinder: TypeAlias = Callable[[InclusionContext, Question], list[Gap]]
"""Returns the gaps that some keywords of a question's consumer leave."""


@dataclass(frozen=True)
class KeywordRule:
    """Comparison of keywords that belong together, made where a subschema of the consumer has one of them.

    A keyword that no rule names is one that the comparison cannot follow: it leaves an uncertain gap.
    """

    keywords: tuple[str, ...]
    find_gaps: GapFinder


def make_gap(
    context: InclusionContext,
    question: Question,
    kind: GapKind,
    keyword: str = "",
    name: str = "",
    values: tuple[str, ...] = (),
    witness_schema: Json = None,
) -> Gap:
    """Make a gap at the producer's subschema that the keyword concerns."""
    producer, consumer = question.producer, question.consumer
    keywords = ("enum", "const") if kind is GapKind.VALUE else (keyword,)
    declaring = _list_declaring(producer, name) if name else []
    pointer = _choose_pointer(producer, declaring or producer.parts_with(*keywords), consumer.at)
    constraint = context.consumer.get(consumer, keyword) if keyword else None
    certain = not producer.unsure
    return Gap(
        kind, question.path.steps, pointer, consumer.at, keyword, certain, name, constraint, witness_schema, values
    )


def _list_declaring(producer: Conjunction, name: str) -> list[SchemaLocation]:
    """Return the parts that declare a property."""
    get_named = producer.view.get_named_subschemas
    return [part for part in producer.parts_with("properties") if name in get_named(part, "properties")]


def _choose_pointer(producer: Conjunction, concerned: list[SchemaLocation], consumer_pointer: str) -> str:
    """Return the pointer of the first concerned part; if there is none, of the part with the most keywords.

    The part at the consumer's pointer comes first, if it is among them and does not only refer to others.
    """
    counts = {part.at: _count_keywords(part) for part in concerned or producer.parts}
    if counts.get(consumer_pointer):
        return consumer_pointer
    if concerned:
        return concerned[0].at
    return max(counts, key=lambda pointer: counts[pointer], default="")


def _count_keywords(part: SchemaLocation) -> int:
    """Return how many keywords of a subschema can refuse a value by themselves."""
    keywords = part.schema if isinstance(part.schema, dict) else ()
    return sum(keyword in KEYWORD_TABLE and KEYWORD_TABLE[keyword].role in _REFUSING_ROLES for keyword in keywords)


_REFUSING_ROLES = frozenset({Role.ASSERTION, Role.IN_PLACE, Role.CHILD})
