"""Gaps of `enum` and `const`."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.schema.values import Json


def _compare_constants(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer = context.consumer, question.consumer
    gaps: list[Gap] = []
    for keyword in ("enum", "const"):
        if view.has(consumer, keyword) and not context.keeps_keywords(question, keyword):
            witness_schema: Json = {"type": question.kind, "not": {"enum": view.list_allowed_values(consumer, keyword)}}
            gaps.append(make_gap(context, question, GapKind.FREE, keyword, witness_schema=witness_schema))
    return gaps


CONSTANT_RULES = (KeywordRule(("enum", "const"), _compare_constants),)
