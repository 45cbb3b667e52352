"""Gaps of keywords that combine schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.conjunction import make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.schema_view import has_member
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import REFERENCE_KEYWORDS
from mcpgen.schema.values import Json


def _compare_conjunction(context: InclusionContext, question: Question) -> list[Gap]:
    conjuncts = context.consumer.get_subschemas(question.consumer, "allOf")
    return [gap for conjunct in conjuncts for gap in context.check_subschema(question, conjunct)]


# --- unions ----------------------------------------------------------------------------------------------------------
def _compare_any_of(context: InclusionContext, question: Question) -> list[Gap]:
    return _compare_union(context, question, "anyOf")


def _compare_one_of(context: InclusionContext, question: Question) -> list[Gap]:
    return _compare_union(context, question, "oneOf")


def _compare_union(context: InclusionContext, question: Question, keyword: str) -> list[Gap]:
    if context.keeps_keywords(question, keyword):
        return []
    branches = context.consumer.get_subschemas(question.consumer, keyword)
    candidates = [branch for branch in branches if not _is_disjoint(context, question, branch)]
    witness_schema: Json = {"type": question.kind}
    if not candidates:
        return [make_gap(context, question, GapKind.VARIANT, keyword, witness_schema=witness_schema)]
    attempts: list[list[Gap]] = []
    for branch in candidates:
        gaps = context.check_subschema(question, branch)
        if gaps:
            attempts.append(gaps)
        elif keyword == "anyOf" or len(candidates) == 1:
            return []
        else:
            return [make_gap(context, question, GapKind.OVERLAP, keyword, witness_schema=witness_schema).as_uncertain()]
    closest = min(attempts, key=len)
    if len(candidates) == 1:
        return closest
    return [gap.as_uncertain() for gap in closest]


# --- not and if ------------------------------------------------------------------------------------------------------
def _compare_negation(context: InclusionContext, question: Question) -> list[Gap]:
    negated = context.consumer.get_subschema(question.consumer, "not")
    if negated is None or context.keeps_keywords(question, "not"):
        return []
    if any(context.equivalence.are_equivalent(location, negated) for location in question.producer.excluded):
        return []
    if _is_disjoint(context, question, negated):
        return []
    witness_schema = _quote_schema(context, negated)
    return [make_gap(context, question, GapKind.EXCLUDED, "not", witness_schema=witness_schema).as_uncertain()]


def _compare_condition(context: InclusionContext, question: Question) -> list[Gap]:
    condition = context.consumer.get_subschema(question.consumer, "if")
    if condition is None or context.keeps_keywords(question, "if", "then", "else"):
        return []
    consequence = context.consumer.get_subschema(question.consumer, "then")
    alternative = context.consumer.get_subschema(question.consumer, "else")
    never_holds = _is_disjoint(context, question, condition)
    if not never_holds and consequence is not None and context.check_subschema(question, consequence):
        quoted = _quote_schema(context, condition)
        refused: Json = {"not": _quote_schema(context, consequence) or False}
        witness_schema: Json = None if quoted is None else {"allOf": [quoted, refused]}
        return [make_gap(context, question, GapKind.CONDITION, "if", witness_schema=witness_schema).as_uncertain()]
    if alternative is None:
        return []
    always_holds = not never_holds and not context.check_subschema(question, condition)
    if not always_holds and context.check_subschema(question, alternative):
        return [make_gap(context, question, GapKind.CONDITION, "if").as_uncertain()]
    return []


def _is_disjoint(context: InclusionContext, question: Question, consumer: SchemaLocation) -> bool:
    other = make_conjunction(context.consumer, consumer)
    return context.disjointness.are_disjoint_in_kind(question.producer, other, question.kind)


def _quote_schema(context: InclusionContext, location: SchemaLocation) -> Json:
    """Return a subschema of the consumer for use inside the producer's, None if it means something else there."""
    dialect = context.consumer.dialect
    if context.producer.dialect != dialect or has_member(location.schema, frozenset(REFERENCE_KEYWORDS[dialect])):
        return None
    return location.schema


CONJUNCTION_RULES = (KeywordRule(("allOf",), _compare_conjunction),)
COMBINATOR_RULES = (
    KeywordRule(("anyOf",), _compare_any_of),
    KeywordRule(("oneOf",), _compare_one_of),
    KeywordRule(("not",), _compare_negation),
    KeywordRule(("if", "then", "else"), _compare_condition),
)
