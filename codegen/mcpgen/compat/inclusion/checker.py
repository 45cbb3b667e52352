"""Whether every value of a wide schema is a value of a narrow one: yes, or where it may not be.

The procedure is sound: without a gap, each value that satisfies the wide schema satisfies the narrow one. It follows
the narrow schema keyword by keyword for all values of one kind at a time, splits the unions of the wide schema into
their branches, and takes a question that comes up again deeper in the value as answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion import arrays, objects, scalars
from mcpgen.compat.inclusion.context import ValuePath
from mcpgen.compat.inclusion.disjointness import DisjointnessChecker
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.compat.inclusion.intersection import Conjunction, make_conjunction
from mcpgen.compat.inclusion.schema_view import VALUE_KINDS, SchemaView, expand_types
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, canonicalize

MOST_QUESTIONS = 20_000
"""Questions before the answer is that it could not be followed."""
DEEPEST_QUESTION = 60
"""Questions inside of each other."""
MOST_SPLIT_UNIONS = 3
"""Unions of the wide schema that are split one inside of the other."""


class InclusionChecker:
    """One comparison of two documents."""

    def __init__(self, wide: SchemaView, narrow: SchemaView) -> None:
        self.wide, self.narrow = wide, narrow
        self.alike = EquivalenceChecker(wide, narrow)
        self.apart = DisjointnessChecker(self.alike)
        self._own = DisjointnessChecker(EquivalenceChecker(wide, wide))
        self._left = MOST_QUESTIONS
        self._active: dict[tuple[object, ...], int] = {}
        self._proved: dict[tuple[object, ...], int] = {}
        self._refuted: dict[tuple[object, ...], list[Gap]] = {}
        """Gaps of questions that were answered, their paths from the value of the question on."""

    def find_gaps(self) -> list[Gap]:
        """Where values of the wide schema may not be values of the narrow one; none: they all are."""
        found = self.check_place(make_conjunction(self.wide, self.wide.root), self.narrow.root, ValuePath())
        return merge_gaps(found)

    # --- a place ------------------------------------------------------------------------------------------------
    def check_place(self, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
        """The gaps between a conjunction and a place."""
        if wide.impossible or self._holds_anyhow(wide, narrow):
            return []
        out: list[Gap] = []
        admitted = self.narrow.kinds(narrow)
        beyond = [kind for kind in VALUE_KINDS if kind in wide.kinds - admitted and not wide.is_empty(kind)]
        if beyond:
            word = "type" if isinstance(narrow.schema, dict) else ""
            sort = GapKind.TYPE if admitted else GapKind.FORBIDDEN
            hint: Json = {"type": list[Json](beyond)}
            gap = self.make_gap(sort, wide, narrow, way, word, values=tuple(beyond), hint=hint)
            out.append(gap.as_uncertain() if wide.limited else gap)
        for kind in VALUE_KINDS:
            if kind in wide.kinds & admitted:
                out += self.check_kind(wide, narrow, kind, way)
        return out

    def _holds_anyhow(self, wide: Conjunction, narrow: SchemaLocation) -> bool:
        if not isinstance(narrow.schema, dict):
            return narrow.schema is not False
        return not narrow.schema or any(self.alike.are_equivalent(part, narrow) for part in wide.parts)

    def check_kind(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        """The gaps for the values of a kind; each question is asked once on the way into a value."""
        if kind not in wide.kinds or self._holds_anyhow(wide, narrow) or wide.is_empty(kind):
            return []
        key = (wide.key, narrow.at, narrow.scope, kind)
        if key in self._active:
            if way.depth > self._active[key]:
                return []
            return [self.make_gap(GapKind.UNKNOWN, wide, narrow, way).as_uncertain()]
        if self._proved.get(key, way.depth + 1) <= way.depth:
            return []
        if key in self._refuted:
            return [replace(one, path=(*way.path, *one.path)) for one in self._refuted[key]]
        self._left -= 1
        if self._left < 0 or way.inside > DEEPEST_QUESTION:
            return [self.make_gap(GapKind.UNKNOWN, wide, narrow, way).as_uncertain()]
        before = len(self._proved)
        self._active[key] = way.depth
        found = merge_gaps(self._answer(wide, narrow, kind, replace(way, inside=way.inside + 1)))
        del self._active[key]
        if found:
            self._forget(before)
            if all(one.kind is not GapKind.UNKNOWN for one in found):
                self._refuted[key] = [replace(one, path=one.path[len(way.path) :]) for one in found]
        else:
            self._proved.setdefault(key, way.depth)
        return found

    def _forget(self, count: int) -> None:
        """Take back what was proved on the way to a question that was not: it may rest on that question."""
        while len(self._proved) > count:
            self._proved.popitem()

    def _answer(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        values = wide.values(kind)
        if values is not None and (told := self._each(wide, values, narrow, way)) is not None:
            return told
        cases = wide.split_union() if len(wide.chosen) < MOST_SPLIT_UNIONS else None
        if cases is None:
            found = self._says(wide, narrow, kind, way)
            return [one.as_uncertain() for one in found] if wide.is_doubtful(kind) else found
        if not self._says(wide, narrow, kind, way):
            return []
        out: list[Gap] = []
        for case in cases:
            if len(case.excluded) > len(wide.excluded) and not self._exclusive(case, kind):
                case = replace(case, unsure=True)
            out += self.check_kind(case, narrow, kind, way)
        return out

    def _exclusive(self, case: Conjunction, kind: str) -> bool:
        """Whether a branch of a `oneOf` has nothing in common with the others, so that all of it counts."""
        plain = replace(case, excluded=())
        return all(
            self._own.are_disjoint_in_kind(plain, make_conjunction(self.wide, other), kind) for other in case.excluded
        )

    def _each(self, wide: Conjunction, values: list[Json], narrow: SchemaLocation, way: ValuePath) -> list[Gap] | None:
        """The gaps where the values are few: the validator says it of each; None: it cannot."""
        told = [(value, self.narrow.is_valid(narrow, value)) for value in values]
        bad = [value for value, fine in told if fine is False]
        if any(fine is None for _, fine in told):
            return None
        if not bad:
            return []
        sure = [value for value in bad if wide.surely_accepts(value)]
        word = next((one for one in ("enum", "const") if self.narrow.has(narrow, one)), "")
        shown = tuple(canonicalize(value) for value in sure or bad)
        gap = self.make_gap(GapKind.VALUE, wide, narrow, way, word, values=shown, hint={"enum": sure or bad})
        return [gap if sure else gap.as_uncertain()]

    # --- keywords -----------------------------------------------------------------------------------------------
    def _says(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        """The gaps of each keyword of a place, for the values of a kind."""
        book = self.narrow
        if narrow.schema is False:
            return [self.make_gap(GapKind.FORBIDDEN, wide, narrow, way, hint={})]
        if book.refers_outside(narrow):
            return [self.make_gap(GapKind.UNKNOWN, wide, narrow, way, "$ref").as_uncertain()]
        out: list[Gap] = []
        for target in book.resolve_references(narrow):
            out += self.check_kind(wide, target, kind, way)
        if not book.applies_keywords(narrow):
            return out
        if book.has(narrow, "type") and kind not in expand_types(book.get_names(narrow, "type")):
            out.append(self.make_gap(GapKind.TYPE, wide, narrow, way, "type", values=(kind,), hint={"type": kind}))
            return out
        for one in book.get_subschemas(narrow, "allOf"):
            out += self.check_kind(wide, one, kind, way)
        for word in ("enum", "const"):
            if book.has(narrow, word) and not self.keeps_keywords(wide, narrow, word):
                hint: Json = {"type": kind, "not": {"enum": book.values(narrow, word)}}
                out.append(self.make_gap(GapKind.FREE, wide, narrow, way, word, hint=hint))
        for word in ("anyOf", "oneOf"):
            if book.has(narrow, word) and not self.keeps_keywords(wide, narrow, word):
                out += self._union(wide, narrow, kind, way, word)
        out += self._negated(wide, narrow, kind, way) + self._condition(wide, narrow, kind, way)
        match kind:
            case "object":
                out += objects.find_object_gaps(self, wide, narrow, way)
            case "array":
                out += arrays.find_array_gaps(self, wide, narrow, way)
            case "string":
                out += scalars.find_string_gaps(self, wide, narrow, way)
            case "integer" | "number":
                out += scalars.find_number_gaps(self, wide, narrow, kind, way)
            case _:
                pass
        return out

    def keeps_keywords(self, wide: Conjunction, narrow: SchemaLocation, *words: str) -> bool:
        """Whether some part of the wide schema has the same keywords with the same values."""
        return any(self.alike.have_equivalent_keywords(part, narrow, words) for part in wide.parts)

    def _quoted(self, place: SchemaLocation) -> Json:
        """A place's schema to draw by among the wide document's, None when it cannot stand there."""
        text = json.dumps(place.schema)
        return None if self.wide.dialect != self.narrow.dialect or 'ef":' in text else place.schema

    def _union(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath, word: str) -> list[Gap]:
        branches = self.narrow.get_subschemas(narrow, word)
        open = [
            one
            for one in branches
            if not self.apart.are_disjoint_in_kind(wide, make_conjunction(self.narrow, one), kind)
        ]
        if not open:
            return [self.make_gap(GapKind.VARIANT, wide, narrow, way, word, hint={"type": kind})]
        tried: list[list[Gap]] = []
        for one in open:
            found = self.check_kind(wide, one, kind, way)
            if found:
                tried.append(found)
            elif word == "anyOf" or len(open) == 1:
                return []
            else:
                return [self.make_gap(GapKind.OVERLAP, wide, narrow, way, word, hint={"type": kind}).as_uncertain()]
        best = min(tried, key=len)
        if len(open) == 1:
            return best
        return [one.as_uncertain() for one in best]

    def _negated(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        ruled_out = self.narrow.get_subschema(narrow, "not")
        if ruled_out is None or self.keeps_keywords(wide, narrow, "not"):
            return []
        if any(self.alike.are_equivalent(one, ruled_out) for one in wide.excluded):
            return []
        if self.apart.are_disjoint_in_kind(wide, make_conjunction(self.narrow, ruled_out), kind):
            return []
        return [self.make_gap(GapKind.EXCLUDED, wide, narrow, way, "not", hint=self._quoted(ruled_out)).as_uncertain()]

    def _condition(self, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath) -> list[Gap]:
        asked = self.narrow.get_subschema(narrow, "if")
        if asked is None or self.keeps_keywords(wide, narrow, "if", "then", "else"):
            return []
        then, other = self.narrow.get_subschema(narrow, "then"), self.narrow.get_subschema(narrow, "else")
        hint = self._quoted(asked)
        never = self.apart.are_disjoint_in_kind(wide, make_conjunction(self.narrow, asked), kind)
        if not never and then is not None and self.check_kind(wide, then, kind, way):
            against: Json = {"not": self._quoted(then) or False}
            held: Json = None if hint is None else {"allOf": [hint, against]}
            return [self.make_gap(GapKind.CONDITION, wide, narrow, way, "if", hint=held).as_uncertain()]
        always = not never and other is not None and not self.check_kind(wide, asked, kind, way)
        if not always and other is not None and self.check_kind(wide, other, kind, way):
            return [self.make_gap(GapKind.CONDITION, wide, narrow, way, "if").as_uncertain()]
        return []

    # --- findings -----------------------------------------------------------------------------------------------
    def make_gap(
        self,
        kind: GapKind,
        wide: Conjunction,
        narrow: SchemaLocation,
        way: ValuePath,
        word: str = "",
        name: str = "",
        values: tuple[str, ...] = (),
        hint: Json = None,
    ) -> Gap:
        """A gap at the place that the wide schema speaks from."""
        place = _find_keyword_pointer(wide, word)
        given = self.narrow.get(narrow, word) if word else None
        return Gap(kind, way.path, place, narrow.at, word, not wide.unsure, name, given, hint, values)


def _find_keyword_pointer(wide: Conjunction, word: str) -> str:
    """The pointer of the part that says a keyword, else of the one that says the most."""
    if not wide.parts:
        return ""
    if word:
        for part in wide.parts:
            if wide.book.has(part, word):
                return part.at
    return max(wide.parts, key=lambda part: len(part.schema) if isinstance(part.schema, dict) else 0).at


def merge_gaps(found: Iterable[Gap]) -> list[Gap]:
    """Each gap between two places once: with the shortest way to it, and certain if it is so on one of the ways."""
    out: dict[tuple[object, ...], Gap] = {}
    for gap in found:
        key = (gap.kind, gap.wide, gap.narrow, gap.word, gap.name)
        held = out.get(key)
        if held is None:
            out[key] = gap
            continue
        values = tuple(dict.fromkeys((*held.values, *gap.values)))
        base = min(held, gap, key=lambda one: (not one.certain, len(one.path)))
        out[key] = replace(base, values=values)
    return list(out.values())
