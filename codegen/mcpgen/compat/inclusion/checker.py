"""Inclusion check: report where a value of the producer's schema may be invalid under the consumer's.

The values that the producer sends have to be values that the consumer takes: for results, a new server and an old
client; for arguments, the other way round. If the check finds no gap, this is so for every value.
It compares the consumer's schema keyword by keyword, for all values of one kind at a time, and splits the unions of the
producer's schema into their branches. A keyword that no rule compares leaves an uncertain gap. A question that comes up
again deeper in the value is assumed to be true.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from mcpgen.compat.gap import Gap, GapKind, merge_gaps
from mcpgen.compat.inclusion.certainty import (
    DisjointnessChecker,
    is_doubtful,
    is_empty_kind,
    may_lack_kinds,
    surely_contains,
)
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction, split_union
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker, make_outline
from mcpgen.compat.inclusion.schema_view import VALUE_KINDS, LocationKey, SchemaView, make_key, sort_kinds
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import (
    DRAFT_2020_12,
    KEYWORD_TABLE,
    REFERENCE_KEYWORDS,
    REFUSING_KEYWORDS,
    Role,
    expand_types,
    is_vacuous,
)
from mcpgen.schema.values import Json, canonicalize, make_identity_key

MOST_QUESTIONS = 20_000
"""Questions that are answered before the check gives up with a gap of the kind `UNKNOWN`."""
DEEPEST_QUESTION = 60
"""Questions that are answered one inside the other."""
MOST_SPLIT_UNIONS = 3
"""Unions of the producer's schema that are split one inside the other."""
CHECKER_KEYWORDS = frozenset(["type", *REFERENCE_KEYWORDS[DRAFT_2020_12]])
"""Keywords that the checker compares itself."""
_REFUSING_ROLES = frozenset({Role.ASSERTION, Role.IN_PLACE, Role.CHILD})


@dataclass(frozen=True)
class ValuePath:
    """Path from the whole value to the one that is compared."""

    steps: tuple[str, ...] = ()
    """Property names, and `*` for items and undeclared properties: one for each level of the value."""
    nesting: int = 0
    """Questions that are being answered, one inside the other."""

    def step_into(self, step: str) -> ValuePath:
        """Return the path to a property or item."""
        return replace(self, steps=(*self.steps, step))

    def nest(self) -> ValuePath:
        """Return the same path, one question deeper."""
        return replace(self, nesting=self.nesting + 1)


@dataclass(frozen=True)
class Question:
    """Question whether the values of one kind of a conjunction are valid under a subschema of the consumer."""

    checker: InclusionChecker
    producer: Conjunction
    consumer: SchemaLocation
    kind: str
    """One of `VALUE_KINDS`."""
    path: ValuePath

    @property
    def view(self) -> SchemaView:
        """The consumer's document."""
        return self.checker.consumer

    def check_subschema(self, consumer: SchemaLocation) -> list[Gap]:
        """Return the gaps for the same values and another subschema of the consumer."""
        return self.checker.check_kind(replace(self, consumer=consumer))

    def check_member(self, values: Conjunction, consumer: SchemaLocation, step: str) -> list[Gap]:
        """Return the gaps between the values of a property or item and a subschema of the consumer."""
        return self.checker.check_location(values, consumer, self.path.step_into(step))

    def keeps_keywords(self, *keywords: str) -> bool:
        """Return whether a part of the producer's schema has the same keywords with equivalent values."""
        parts, are_kept = self.producer.parts_with(keywords[0]), self.checker.equivalence.have_equivalent_keywords
        return any(are_kept(part, self.consumer, keywords) for part in parts)

    def is_disjoint_from(self, consumer: SchemaLocation) -> bool:
        """Return whether surely none of the values is valid under another subschema of the consumer."""
        other = make_conjunction(self.view, consumer)
        return self.checker.disjointness.are_disjoint_in_kind(self.producer, other, self.kind)

    def make_gap(
        self,
        kind: GapKind,
        keyword: str = "",
        witness_schema: Json = None,
        *,
        name: str = "",
        values: tuple[str, ...] = (),
        certain: bool = True,
    ) -> Gap:
        """Make a gap at the producer's subschema that the keyword concerns."""
        producer, consumer = self.producer, self.consumer
        keywords = ("enum", "const") if kind is GapKind.VALUE else (keyword,)
        concerned = _list_declaring(producer, name) or producer.parts_with(*keywords)
        pointer = _choose_pointer(producer, concerned, consumer.at)
        constraint = self.view.get(consumer, keyword) if keyword else None
        gap = Gap(kind, self.path.steps, pointer, consumer.at, keyword, certain and not producer.unsure, name)
        return replace(gap, constraint=constraint, witness_schema=witness_schema, values=values)


def _list_declaring(producer: Conjunction, name: str) -> list[SchemaLocation]:
    get_named = producer.view.get_named_subschemas
    return [part for part in producer.parts_with("properties") if name and name in get_named(part, "properties")]


def _choose_pointer(producer: Conjunction, concerned: list[SchemaLocation], consumer_pointer: str) -> str:
    """Return the pointer of a concerned part: the consumer's if it says anything, else the first, or fullest."""
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


# --- rules of keywords -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class KeywordRule:
    """Comparison of keywords that belong together; without a rule, a keyword leaves an uncertain gap."""

    keywords: tuple[str, ...]
    find_gaps: Callable[[Question], list[Gap]]
    """Returns the gaps that the keywords of a question's consumer leave."""


class RuleTable:
    """Rules by the kinds of values that their keywords can refuse, in the order in which they find gaps."""

    def __init__(self, rules: Iterable[KeywordRule]) -> None:
        self.rules = tuple(rules)
        ruled = CHECKER_KEYWORDS.union(*(rule.keywords for rule in self.rules))
        self.by_kind = {
            kind: [rule for rule in self.rules if not keywords.isdisjoint(rule.keywords)]
            for kind, keywords in REFUSING_KEYWORDS.items()
        }
        self.unruled = {kind: sorted(keywords - ruled) for kind, keywords in REFUSING_KEYWORDS.items()}
        """Kind of value → keywords that can refuse it and that no rule compares."""


# --- the check -------------------------------------------------------------------------------------------------------
class Answers:
    """Answers to questions "is every value of this kind and conjunction valid under that subschema?".

    A question that comes up again deeper in the value, while it is being answered, is assumed to be true: that is how
    recursive schemas are compared. What was proved under an assumption is forgotten if the assumption turns out false.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._active: dict[Hashable, int] = {}
        """Questions that are being answered, with the depth of their value."""
        self._proved: dict[Hashable, int] = {}
        self._refuted: dict[Hashable, list[Gap]] = {}
        """Gaps of answered questions, with paths that start at the question's value."""

    def is_active(self, question: Hashable) -> bool:
        """Return whether a question is being answered."""
        return question in self._active

    def is_assumed(self, question: Hashable, depth: int) -> bool:
        """Return whether the answer is yes: proved, or assumed since the question is active further up."""
        if question in self._active:
            return depth > self._active[question]
        return self._proved.get(question, depth + 1) <= depth

    def recall_gaps(self, question: Hashable, path: ValuePath) -> list[Gap] | None:
        """Return the gaps of an answered question, at another path; None if there is no such answer."""
        gaps = self._refuted.get(question)
        return None if gaps is None else [replace(gap, path=(*path.steps, *gap.path)) for gap in gaps]

    def spend_question(self) -> bool:
        """Return whether one more question may be answered, and count it."""
        self._budget -= 1
        return self._budget >= 0

    def begin(self, question: Hashable, path: ValuePath) -> int:
        """Mark a question as active; return the mark to end it with."""
        self._active[question] = len(path.steps)
        return len(self._proved)

    def end(self, question: Hashable, mark: int, gaps: list[Gap], path: ValuePath) -> None:
        """Store the answer to an active question, which `begin` gave a mark; without gaps it is proved."""
        del self._active[question]
        if not gaps:
            self._proved.setdefault(question, len(path.steps))
            return
        while len(self._proved) > mark:  # what was proved meanwhile may rest on this question
            self._proved.popitem()
        if all(gap.kind is not GapKind.UNKNOWN for gap in gaps):
            self._refuted[question] = [replace(gap, path=gap.path[len(path.steps) :]) for gap in gaps]


class InclusionChecker:
    """Comparison of a producer's document with a consumer's, which may refuse its values, by the rules of keywords."""

    def __init__(self, producer: SchemaView, consumer: SchemaView, rules: RuleTable) -> None:
        self.producer, self.consumer = producer, consumer
        self.equivalence = EquivalenceChecker(producer, consumer)
        self.disjointness = DisjointnessChecker(self.equivalence)
        self._producer_disjointness = DisjointnessChecker(EquivalenceChecker(producer, producer))
        self._answers = Answers(MOST_QUESTIONS)
        self._outlines: dict[LocationKey, Hashable] = {}
        self._rules = rules

    def find_gaps(self) -> list[Gap]:
        """Return where values of the producer's schema may be invalid under the consumer's; none: all are valid."""
        return merge_gaps(
            self.check_location(make_conjunction(self.producer, self.producer.root), self.consumer.root, ValuePath())
        )

    # --- questions ----------------------------------------------------------------------------------------------
    def check_location(self, producer: Conjunction, consumer: SchemaLocation, path: ValuePath) -> list[Gap]:
        """Return the gaps between a conjunction and a subschema of the consumer."""
        if producer.impossible or self._is_evident(producer, consumer):
            return []
        gaps: list[Gap] = []
        admitted = self.consumer.find_kinds(consumer)
        refused = [
            kind for kind in VALUE_KINDS if kind in producer.kinds - admitted and not is_empty_kind(producer, kind)
        ]
        if refused:
            gap_kind = GapKind.TYPE if admitted else GapKind.FORBIDDEN
            keyword = "type" if isinstance(consumer.schema, dict) else ""
            witness_schema: Json = {"type": list[Json](refused)}
            part = find_refusing_part(self.consumer, consumer, refused[0])
            question = Question(self, producer, part, refused[0], path)
            certain = not may_lack_kinds(producer)
            gap = question.make_gap(gap_kind, keyword, witness_schema, values=tuple(refused), certain=certain)
            gaps.append(replace(gap, kinds=(sort_kinds(producer.kinds), sort_kinds(admitted))))
        for kind in VALUE_KINDS:
            if kind in producer.kinds & admitted:
                gaps += self.check_kind(Question(self, producer, consumer, kind, path))
        return gaps

    def _is_evident(self, producer: Conjunction, consumer: SchemaLocation) -> bool:
        if not isinstance(consumer.schema, dict):
            return consumer.schema is not False
        key = make_key(consumer)
        if key not in self._outlines:
            self._outlines[key] = make_outline(self.consumer, consumer)
        similar = producer.parts_like(self._outlines[key])
        return not consumer.schema or any(self.equivalence.are_equivalent(part, consumer) for part in similar)

    def check_kind(self, question: Question) -> list[Gap]:
        """Return the gaps for the values of one kind; the same question is answered once on the way into a value."""
        producer, consumer, kind, path = question.producer, question.consumer, question.kind, question.path
        if kind not in producer.kinds or self._is_evident(producer, consumer) or is_empty_kind(producer, kind):
            return []
        key = (producer.key, make_key(consumer), kind)
        if self._answers.is_assumed(key, len(path.steps)):
            return []
        if (gaps := self._answers.recall_gaps(key, path)) is not None:
            return gaps
        if self._answers.is_active(key) or not self._answers.spend_question() or path.nesting > DEEPEST_QUESTION:
            return [question.make_gap(GapKind.UNKNOWN, certain=False)]
        mark = self._answers.begin(key, path)
        gaps = merge_gaps(self._answer(replace(question, path=path.nest())))
        self._answers.end(key, mark, gaps, path)
        return gaps

    def _answer(self, question: Question) -> list[Gap]:
        producer, kind = question.producer, question.kind
        values = producer.list_values(kind)
        if values is not None and (gaps := self._check_values(question, values)) is not None:
            return gaps
        cases = split_union(producer) if len(producer.split_unions) < MOST_SPLIT_UNIONS else None
        gaps = self._check_keywords(question)
        if cases is None:
            return [gap.as_uncertain() for gap in gaps] if is_doubtful(producer, kind) else gaps
        if not gaps:
            return []
        case_gaps: list[Gap] = []
        for case in cases:
            if len(case.excluded) > len(producer.excluded) and not self._is_exclusive(case, kind):
                case = replace(case, unsure=True)
            case_gaps += self.check_kind(replace(question, producer=case))
        return case_gaps

    def _is_exclusive(self, case: Conjunction, kind: str) -> bool:
        """Return whether a branch of a `oneOf` is disjoint from the others, so that all of its values count."""
        branch = replace(case, excluded=())
        return all(
            self._producer_disjointness.are_disjoint_in_kind(branch, make_conjunction(self.producer, other), kind)
            for other in case.excluded
        )

    def _check_values(self, question: Question, values: list[Json]) -> list[Gap] | None:
        consumer = question.consumer
        verdicts = [(value, self.consumer.is_valid(consumer, value)) for value in values]
        if any(valid is None for _, valid in verdicts):
            return None
        refused = [value for value, valid in verdicts if not valid]
        if not refused:
            return []
        enumerating = question.producer.parts_with("enum", "const")
        gaps: list[Gap] = []
        by_refusal: dict[tuple[LocationKey, str], tuple[Refusal, list[Json]]] = {}
        for value in refused:
            refusal = find_refusal(self.consumer, consumer, value, {part.at for part in enumerating})
            by_refusal.setdefault((make_key(refusal.location), refusal.keyword), (refusal, []))[1].append(value)
        for refusal, values in by_refusal.values():
            certain = [value for value in values if surely_contains(question.producer, value)]
            examples = certain or values
            refused_by = replace(question, consumer=refusal.location)
            texts = tuple(canonicalize(value) for value in examples)
            witness_schema: Json = {"enum": examples}
            gaps.append(
                refused_by.make_gap(GapKind.VALUE, refusal.keyword, witness_schema, values=texts, certain=bool(certain))
            )
        return gaps

    # --- keywords -----------------------------------------------------------------------------------------------
    def _check_keywords(self, question: Question) -> list[Gap]:
        view, consumer, kind = self.consumer, question.consumer, question.kind
        if consumer.schema is False:
            return [question.make_gap(GapKind.FORBIDDEN, witness_schema={})]
        if view.refers_outside(consumer):
            return [question.make_gap(GapKind.UNKNOWN, "$ref", certain=False)]
        gaps = [gap for target in view.resolve_references(consumer) for gap in question.check_subschema(target)]
        if not view.has_effective_keywords(consumer):
            return gaps
        if view.has(consumer, "type") and kind not in expand_types(view.get_names(consumer, "type")):
            gap = question.make_gap(GapKind.TYPE, "type", {"type": kind}, values=(kind,))
            admitted = expand_types(view.get_names(consumer, "type"))
            return [*gaps, replace(gap, kinds=(sort_kinds(question.producer.kinds), sort_kinds(admitted)))]
        for rule in self._rules.by_kind[kind]:
            if any(view.has(consumer, keyword) for keyword in rule.keywords):
                gaps += rule.find_gaps(question)
        return gaps + [
            question.make_gap(GapKind.UNKNOWN, keyword, certain=False)
            for keyword in self._rules.unruled[kind]
            if view.has(consumer, keyword) and not is_vacuous(keyword, view.get(consumer, keyword))
        ]


# --- what refuses a value --------------------------------------------------------------------------------------------
class Refusal(NamedTuple):
    """Subschema that refuses a value, and its keyword that does: `enum`, `const`, or none for another reason."""

    location: SchemaLocation
    keyword: str


def find_refusal(view: SchemaView, root: SchemaLocation, value: Json, related: Collection[str]) -> Refusal:
    """Return which `enum` or `const` refuses a value; the root, without a keyword, if that is not clear.

    No single branch of a union refuses a value. The branch is named if it is among the related pointers: those of the
    subschemas of the other version whose `enum` or `const` has the value.
    """
    visited: set[LocationKey] = set()
    stack = [(root, False)]
    while stack:
        location, in_union = stack.pop()
        if make_key(location) in visited or view.is_valid(location, value) is not False:
            continue
        visited.add(make_key(location))
        keyword = _find_refusing_keyword(view, location, value)
        if keyword and not in_union:
            return Refusal(location, keyword)
        if keyword and location.at in related:
            return Refusal(location, keyword if keyword == "enum" else "")  # with other branches, it is no constant
        stack += [(branch, True) for branch in _list_refusing_branches(view, location, value)][::-1]
        stack += [(inner, in_union) for inner in _list_conjuncts(view, location)][::-1]
    return Refusal(root, "")


def find_refusing_part(view: SchemaView, root: SchemaLocation, kind: str) -> SchemaLocation:
    """Return the innermost subschema that refuses all values of a kind, as the root does."""
    visited: set[LocationKey] = set()
    location: SchemaLocation | None = root
    while location is not None and make_key(location) not in visited:
        root = location
        visited.add(make_key(root))
        has_own_type = view.has(root, "type") and kind not in expand_types(view.get_names(root, "type"))
        inner = () if has_own_type else _list_conjuncts(view, root)
        location = next((part for part in inner if kind not in view.find_kinds(part)), None)
    return root


def _find_refusing_keyword(view: SchemaView, location: SchemaLocation, value: Json) -> str:
    for keyword in ("enum", "const"):
        if view.has(location, keyword) and make_identity_key(value) not in view.list_allowed_keys(location, keyword):
            return keyword
    return ""


def _list_refusing_branches(view: SchemaView, location: SchemaLocation, value: Json) -> Iterator[SchemaLocation]:
    for keyword in ("anyOf", "oneOf"):
        branches = view.get_subschemas(location, keyword)
        if all(view.is_valid(branch, value) is False for branch in branches):
            yield from branches


def _list_conjuncts(view: SchemaView, location: SchemaLocation) -> list[SchemaLocation]:
    return [*view.resolve_references(location), *view.get_subschemas(location, "allOf")]
