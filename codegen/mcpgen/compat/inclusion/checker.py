"""Inclusion check: report where a value of the producer's schema may be invalid under the consumer's.

The values that the producer sends have to be values that the consumer takes: for results, a new server and an old
client; for arguments, the other way round. If the check finds no gap, this is so for every value.
It compares the consumer's schema keyword by keyword, for all values of one kind at a time, and splits the unions of the
producer's schema into their branches. A keyword that no rule compares leaves an uncertain gap. A question that comes up
again deeper in the value is assumed to be true.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from mcpgen.compat.gap import Gap, GapKind, merge_gaps
from mcpgen.compat.inclusion.answers import Answers
from mcpgen.compat.inclusion.certainty import is_doubtful, may_lack_kinds, surely_contains
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import Question, ValuePath, make_gap
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker, make_outline
from mcpgen.compat.inclusion.keyword_reader import LocationKey, make_key
from mcpgen.compat.inclusion.keyword_rules import KEYWORD_RULES, RuleTable
from mcpgen.compat.inclusion.refusals import Refusal, find_refusal, find_refusing_part
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.unions import split_union
from mcpgen.compat.inclusion.value_kinds import VALUE_KINDS, expand_types, sort_kinds
from mcpgen.compat.inclusion.value_sets import is_empty_kind, list_values
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import is_vacuous
from mcpgen.schema.values import Json, canonicalize

MOST_QUESTIONS = 20_000
"""Questions that are answered before the check gives up with a gap of the kind `UNKNOWN`."""
DEEPEST_QUESTION = 60
"""Questions that are answered one inside the other."""
MOST_SPLIT_UNIONS = 3
"""Unions of the producer's schema that are split one inside the other."""


class InclusionChecker:
    """Comparison of a producer's document with a consumer's.

    Args:
        producer: the document whose values are checked.
        consumer: the document that may refuse them.
        rules: the rules that compare keywords of the consumer's document.
    """

    def __init__(self, producer: SchemaView, consumer: SchemaView, rules: RuleTable = KEYWORD_RULES) -> None:
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
            question = Question(producer, part, refused[0], path)
            gap = make_gap(self, question, gap_kind, keyword, values=tuple(refused), witness_schema=witness_schema)
            gap = replace(gap, kinds=(sort_kinds(producer.kinds), sort_kinds(admitted)))
            gaps.append(gap.as_uncertain() if may_lack_kinds(producer) else gap)
        for kind in VALUE_KINDS:
            if kind in producer.kinds & admitted:
                gaps += self.check_kind(Question(producer, consumer, kind, path))
        return gaps

    def _is_evident(self, producer: Conjunction, consumer: SchemaLocation) -> bool:
        """Return whether the consumer accepts everything here, or is equivalent to a part of the producer."""
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
        if self._answers.is_assumed(key, path.depth):
            return []
        if (gaps := self._answers.recall_gaps(key, path)) is not None:
            return gaps
        if self._answers.is_active(key) or not self._answers.spend_question() or path.nesting > DEEPEST_QUESTION:
            return [make_gap(self, question, GapKind.UNKNOWN).as_uncertain()]
        mark = self._answers.begin(key, path)
        gaps = merge_gaps(self._answer(replace(question, path=path.nest())))
        self._answers.end(key, mark, gaps, path)
        return gaps

    def check_subschema(self, question: Question, consumer: SchemaLocation) -> list[Gap]:
        """Return the gaps for the same values and another subschema of the consumer."""
        return self.check_kind(replace(question, consumer=consumer))

    def _answer(self, question: Question) -> list[Gap]:
        producer, kind = question.producer, question.kind
        values = list_values(producer, kind)
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
        """Return the gaps by validating each value, None if a value cannot be validated."""
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
            gap = make_gap(
                self,
                replace(question, consumer=refusal.location),
                GapKind.VALUE,
                refusal.keyword,
                values=tuple(canonicalize(value) for value in examples),
                witness_schema={"enum": examples},
            )
            gaps.append(gap if certain else gap.as_uncertain())
        return gaps

    # --- keywords -----------------------------------------------------------------------------------------------
    def _check_keywords(self, question: Question) -> list[Gap]:
        """Return the gaps of each keyword of a subschema, for the values of one kind."""
        view, consumer, kind = self.consumer, question.consumer, question.kind
        if consumer.schema is False:
            return [make_gap(self, question, GapKind.FORBIDDEN, witness_schema={})]
        if view.refers_outside(consumer):
            return [make_gap(self, question, GapKind.UNKNOWN, "$ref").as_uncertain()]
        gaps = [gap for target in view.resolve_references(consumer) for gap in self.check_subschema(question, target)]
        if not view.has_effective_keywords(consumer):
            return gaps
        if view.has(consumer, "type") and kind not in expand_types(view.get_names(consumer, "type")):
            gap = make_gap(self, question, GapKind.TYPE, "type", values=(kind,), witness_schema={"type": kind})
            admitted = expand_types(view.get_names(consumer, "type"))
            return [*gaps, replace(gap, kinds=(sort_kinds(question.producer.kinds), sort_kinds(admitted)))]
        for rule in self._rules.by_kind[kind]:
            if any(view.has(consumer, keyword) for keyword in rule.keywords):
                gaps += rule.find_gaps(self, question)
        return gaps + self._list_unruled(question)

    def _list_unruled(self, question: Question) -> list[Gap]:
        """Return a gap for each keyword without a rule that may refuse values of the kind."""
        view, consumer = self.consumer, question.consumer
        return [
            make_gap(self, question, GapKind.UNKNOWN, keyword).as_uncertain()
            for keyword in self._rules.unruled[question.kind]
            if view.has(consumer, keyword) and not is_vacuous(keyword, view.get(consumer, keyword))
        ]

    def keeps_keywords(self, question: Question, *keywords: str) -> bool:
        """Return whether a part of the producer's schema has the same keywords with equivalent values."""
        parts = question.producer.parts_with(keywords[0])
        return any(self.equivalence.have_equivalent_keywords(part, question.consumer, keywords) for part in parts)
