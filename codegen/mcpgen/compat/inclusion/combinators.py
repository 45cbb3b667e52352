"""Gaps of keywords that combine schemas: `anyOf`, `oneOf`, `not` and `if`."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.schema_view import has_member
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import REFERENCE_KEYWORDS
from mcpgen.schema.values import Json


def find_combinator_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath
) -> list[Gap]:
    """Return the gaps, for the values of a kind, of a subschema's unions, negation and condition."""
    gaps: list[Gap] = []
    for keyword in ("anyOf", "oneOf"):
        if context.narrow.has(narrow, keyword) and not context.keeps_keywords(wide, narrow, keyword):
            gaps += _compare_union(context, wide, narrow, kind, path, keyword)
    gaps += _compare_negation(context, wide, narrow, kind, path)
    gaps += _compare_condition(context, wide, narrow, kind, path)
    return gaps


def _compare_union(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath, keyword: str
) -> list[Gap]:
    candidates = [
        branch
        for branch in context.narrow.get_subschemas(narrow, keyword)
        if not _is_disjoint(context, wide, branch, kind)
    ]
    hint: Json = {"type": kind}
    if not candidates:
        return [context.make_gap(GapKind.VARIANT, wide, narrow, path, keyword, hint=hint)]
    attempts: list[list[Gap]] = []
    for branch in candidates:
        gaps = context.check_kind(wide, branch, kind, path)
        if gaps:
            attempts.append(gaps)
        elif keyword == "anyOf" or len(candidates) == 1:
            return []
        else:
            return [context.make_gap(GapKind.OVERLAP, wide, narrow, path, keyword, hint=hint).as_uncertain()]
    closest = min(attempts, key=len)
    if len(candidates) == 1:
        return closest
    return [gap.as_uncertain() for gap in closest]


def _compare_negation(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath
) -> list[Gap]:
    negated = context.narrow.get_subschema(narrow, "not")
    if negated is None or context.keeps_keywords(wide, narrow, "not"):
        return []
    if any(context.equivalence.are_equivalent(location, negated) for location in wide.excluded):
        return []
    if _is_disjoint(context, wide, negated, kind):
        return []
    hint = _quote_schema(context, negated)
    return [context.make_gap(GapKind.EXCLUDED, wide, narrow, path, "not", hint=hint).as_uncertain()]


def _compare_condition(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath
) -> list[Gap]:
    condition = context.narrow.get_subschema(narrow, "if")
    if condition is None or context.keeps_keywords(wide, narrow, "if", "then", "else"):
        return []
    consequence = context.narrow.get_subschema(narrow, "then")
    alternative = context.narrow.get_subschema(narrow, "else")
    never_holds = _is_disjoint(context, wide, condition, kind)
    if not never_holds and consequence is not None and context.check_kind(wide, consequence, kind, path):
        quoted = _quote_schema(context, condition)
        refused: Json = {"not": _quote_schema(context, consequence) or False}
        hint: Json = None if quoted is None else {"allOf": [quoted, refused]}
        return [context.make_gap(GapKind.CONDITION, wide, narrow, path, "if", hint=hint).as_uncertain()]
    if alternative is None:
        return []
    always_holds = not never_holds and not context.check_kind(wide, condition, kind, path)
    if not always_holds and context.check_kind(wide, alternative, kind, path):
        return [context.make_gap(GapKind.CONDITION, wide, narrow, path, "if").as_uncertain()]
    return []


def _is_disjoint(context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str) -> bool:
    return context.disjointness.are_disjoint_in_kind(wide, make_conjunction(context.narrow, narrow), kind)


def _quote_schema(context: InclusionContext, location: SchemaLocation) -> Json:
    """Return a subschema of the narrow schema for use inside the wide one, None if it means something else there."""
    dialect = context.narrow.dialect
    if context.wide.dialect != dialect or has_member(location.schema, frozenset(REFERENCE_KEYWORDS[dialect])):
        return None
    return location.schema
