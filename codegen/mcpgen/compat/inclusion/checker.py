"""Inclusion check: report where a value of the wide schema may be invalid under the narrow one.

The check is sound: if it finds no gap, each value that is valid under the wide schema is valid under the narrow one.
It compares the narrow schema keyword by keyword, for all values of one kind at a time, and splits the unions of the
wide schema into their branches. A question that comes up again deeper in the value is assumed to be true.
"""

from __future__ import annotations

from dataclasses import replace

from mcpgen.compat.gap import Gap, GapKind, merge_gaps
from mcpgen.compat.inclusion.answers import Answers
from mcpgen.compat.inclusion.arrays import find_array_gaps
from mcpgen.compat.inclusion.certainty import is_doubtful, may_lack_kinds, surely_contains
from mcpgen.compat.inclusion.combinators import find_combinator_gaps
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import ValuePath
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.objects import find_object_gaps
from mcpgen.compat.inclusion.scalars import find_number_gaps, find_string_gaps
from mcpgen.compat.inclusion.schema_view import VALUE_KINDS, SchemaView, expand_types, make_key
from mcpgen.compat.inclusion.unions import split_union
from mcpgen.compat.inclusion.value_sets import is_empty_kind, list_values
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, canonicalize

MOST_QUESTIONS = 20_000
"""Questions that are answered before the check gives up with a gap of the kind `UNKNOWN`."""
DEEPEST_QUESTION = 60
"""Questions that are answered one inside the other."""
MOST_SPLIT_UNIONS = 3
"""Unions of the wide schema that are split one inside the other."""


class InclusionChecker:
    """Comparison of a wide document with a narrow one."""

    def __init__(self, wide: SchemaView, narrow: SchemaView) -> None:
        self.wide, self.narrow = wide, narrow
        self.equivalence = EquivalenceChecker(wide, narrow)
        self.disjointness = DisjointnessChecker(self.equivalence)
        self._wide_disjointness = DisjointnessChecker(EquivalenceChecker(wide, wide))
        self._answers = Answers(MOST_QUESTIONS)

    def find_gaps(self) -> list[Gap]:
        """Return where values of the wide schema may be invalid under the narrow one; none: all are valid."""
        return merge_gaps(
            self.check_location(make_conjunction(self.wide, self.wide.root), self.narrow.root, ValuePath())
        )

    # --- questions ----------------------------------------------------------------------------------------------
    def check_location(self, wide: Conjunction, narrow: SchemaLocation, path: ValuePath) -> list[Gap]:
        """Return the gaps between a conjunction and a subschema of the narrow schema."""
        if wide.impossible or self._is_evident(wide, narrow):
            return []
        gaps: list[Gap] = []
        admitted = self.narrow.find_kinds(narrow)
        refused = [kind for kind in VALUE_KINDS if kind in wide.kinds - admitted and not is_empty_kind(wide, kind)]
        if refused:
            gap_kind = GapKind.TYPE if admitted else GapKind.FORBIDDEN
            keyword = "type" if isinstance(narrow.schema, dict) else ""
            hint: Json = {"type": list[Json](refused)}
            gap = self.make_gap(gap_kind, wide, narrow, path, keyword, values=tuple(refused), hint=hint)
            gaps.append(gap.as_uncertain() if may_lack_kinds(wide) else gap)
        for kind in VALUE_KINDS:
            if kind in wide.kinds & admitted:
                gaps += self.check_kind(wide, narrow, kind, path)
        return gaps

    def _is_evident(self, wide: Conjunction, narrow: SchemaLocation) -> bool:
        """Return whether the narrow subschema accepts everything, or is equivalent to a part of the wide schema."""
        if not isinstance(narrow.schema, dict):
            return narrow.schema is not False
        return not narrow.schema or any(self.equivalence.are_equivalent(part, narrow) for part in wide.parts)

    def check_kind(self, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath) -> list[Gap]:
        """Return the gaps for the values of one kind; the same question is answered once on the way into a value."""
        if kind not in wide.kinds or self._is_evident(wide, narrow) or is_empty_kind(wide, kind):
            return []
        question = (wide.key, make_key(narrow), kind)
        if self._answers.is_assumed(question, path.depth):
            return []
        if (gaps := self._answers.recall_gaps(question, path)) is not None:
            return gaps
        if self._answers.is_active(question) or not self._answers.spend_question() or path.nesting > DEEPEST_QUESTION:
            return [self.make_gap(GapKind.UNKNOWN, wide, narrow, path).as_uncertain()]
        mark = self._answers.begin(question, path)
        gaps = merge_gaps(self._answer(wide, narrow, kind, path.nest()))
        self._answers.end(question, mark, gaps, path)
        return gaps

    def _answer(self, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath) -> list[Gap]:
        values = list_values(wide, kind)
        if values is not None and (gaps := self._check_values(wide, values, narrow, path)) is not None:
            return gaps
        cases = split_union(wide) if len(wide.split_unions) < MOST_SPLIT_UNIONS else None
        gaps = self._check_keywords(wide, narrow, kind, path)
        if cases is None:
            return [gap.as_uncertain() for gap in gaps] if is_doubtful(wide, kind) else gaps
        if not gaps:
            return []
        case_gaps: list[Gap] = []
        for case in cases:
            if len(case.excluded) > len(wide.excluded) and not self._is_exclusive(case, kind):
                case = replace(case, unsure=True)
            case_gaps += self.check_kind(case, narrow, kind, path)
        return case_gaps

    def _is_exclusive(self, case: Conjunction, kind: str) -> bool:
        """Return whether a branch of a `oneOf` is disjoint from the others, so that all of its values count."""
        branch = replace(case, excluded=())
        return all(
            self._wide_disjointness.are_disjoint_in_kind(branch, make_conjunction(self.wide, other), kind)
            for other in case.excluded
        )

    def _check_values(
        self, wide: Conjunction, values: list[Json], narrow: SchemaLocation, path: ValuePath
    ) -> list[Gap] | None:
        """Return the gaps by validating each value, None if a value cannot be validated."""
        verdicts = [(value, self.narrow.is_valid(narrow, value)) for value in values]
        if any(valid is None for _, valid in verdicts):
            return None
        refused = [value for value, valid in verdicts if not valid]
        if not refused:
            return []
        certain = [value for value in refused if surely_contains(wide, value)]
        keyword = next((keyword for keyword in ("enum", "const") if self.narrow.has(narrow, keyword)), "")
        examples = certain or refused
        texts = tuple(canonicalize(value) for value in examples)
        gap = self.make_gap(GapKind.VALUE, wide, narrow, path, keyword, values=texts, hint={"enum": examples})
        return [gap if certain else gap.as_uncertain()]

    # --- keywords -----------------------------------------------------------------------------------------------
    def _check_keywords(self, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath) -> list[Gap]:
        """Return the gaps of each keyword of a subschema, for the values of one kind."""
        view = self.narrow
        if narrow.schema is False:
            return [self.make_gap(GapKind.FORBIDDEN, wide, narrow, path, hint={})]
        if view.refers_outside(narrow):
            return [self.make_gap(GapKind.UNKNOWN, wide, narrow, path, "$ref").as_uncertain()]
        gaps: list[Gap] = []
        for target in view.resolve_references(narrow):
            gaps += self.check_kind(wide, target, kind, path)
        if not view.has_effective_keywords(narrow):
            return gaps
        if view.has(narrow, "type") and kind not in expand_types(view.get_names(narrow, "type")):
            hint: Json = {"type": kind}
            gaps.append(self.make_gap(GapKind.TYPE, wide, narrow, path, "type", values=(kind,), hint=hint))
            return gaps
        for conjunct in view.get_subschemas(narrow, "allOf"):
            gaps += self.check_kind(wide, conjunct, kind, path)
        for keyword in ("enum", "const"):
            if view.has(narrow, keyword) and not self.keeps_keywords(wide, narrow, keyword):
                hint = {"type": kind, "not": {"enum": view.list_allowed_values(narrow, keyword)}}
                gaps.append(self.make_gap(GapKind.FREE, wide, narrow, path, keyword, hint=hint))
        gaps += find_combinator_gaps(self, wide, narrow, kind, path)
        return gaps + self._check_kind_keywords(wide, narrow, kind, path)

    def _check_kind_keywords(self, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath) -> list[Gap]:
        """Return the gaps of the keywords that concern one kind of values only."""
        match kind:
            case "object":
                return find_object_gaps(self, wide, narrow, path)
            case "array":
                return find_array_gaps(self, wide, narrow, path)
            case "string":
                return find_string_gaps(self, wide, narrow, path)
            case "integer" | "number":
                return find_number_gaps(self, wide, narrow, kind, path)
            case _:
                return []

    def keeps_keywords(self, wide: Conjunction, narrow: SchemaLocation, *keywords: str) -> bool:
        """Return whether a part of the wide schema has the same keywords with equivalent values."""
        return any(self.equivalence.have_equivalent_keywords(part, narrow, keywords) for part in wide.parts)

    # --- gaps ---------------------------------------------------------------------------------------------------
    def make_gap(
        self,
        kind: GapKind,
        wide: Conjunction,
        narrow: SchemaLocation,
        path: ValuePath,
        keyword: str = "",
        name: str = "",
        values: tuple[str, ...] = (),
        hint: Json = None,
    ) -> Gap:
        """Make a gap at the subschema of the wide schema that the keyword concerns."""
        pointer = _find_keyword_pointer(wide, keyword)
        constraint = self.narrow.get(narrow, keyword) if keyword else None
        certain = not wide.unsure
        return Gap(kind, path.steps, pointer, narrow.at, keyword, certain, name, constraint, hint, values)


def _find_keyword_pointer(wide: Conjunction, keyword: str) -> str:
    """Return the pointer of the first part with a keyword, else of the part with the most keywords."""
    if not wide.parts:
        return ""
    if keyword:
        for part in wide.parts:
            if wide.view.has(part, keyword):
                return part.at
    return max(wide.parts, key=lambda part: len(part.schema) if isinstance(part.schema, dict) else 0).at
