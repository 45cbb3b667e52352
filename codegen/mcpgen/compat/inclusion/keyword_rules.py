"""The rules of all keywords; here are those of keywords for values of any kind: constants, and combined schemas."""

from __future__ import annotations

from functools import partial

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.arrays import ARRAY_RULES
from mcpgen.compat.inclusion.checker import InclusionChecker, KeywordRule, Question, RuleTable
from mcpgen.compat.inclusion.objects import OBJECT_RULES
from mcpgen.compat.inclusion.scalars import NUMBER_RULES, STRING_RULES
from mcpgen.compat.inclusion.schema_view import SchemaView, has_member
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import REFERENCE_KEYWORDS
from mcpgen.schema.values import Json


def find_gaps(producer: SchemaView, consumer: SchemaView) -> list[Gap]:
    """Return where values of the producer's schema may be invalid under the consumer's; none: all are valid."""
    return InclusionChecker(producer, consumer, KEYWORD_RULES).find_gaps()


def _compare_conjunction(question: Question) -> list[Gap]:
    conjuncts = question.view.get_subschemas(question.consumer, "allOf")
    return [gap for conjunct in conjuncts for gap in question.check_subschema(conjunct)]


def _compare_constants(question: Question) -> list[Gap]:
    view, consumer = question.view, question.consumer
    gaps: list[Gap] = []
    for keyword in ("enum", "const"):
        if view.has(consumer, keyword) and not question.keeps_keywords(keyword):
            witness_schema: Json = {"type": question.kind, "not": {"enum": view.list_allowed_values(consumer, keyword)}}
            gaps.append(question.make_gap(GapKind.FREE, keyword, witness_schema))
    return gaps


def _compare_union(keyword: str, question: Question) -> list[Gap]:
    if question.keeps_keywords(keyword):
        return []
    branches = question.view.get_subschemas(question.consumer, keyword)
    candidates = [branch for branch in branches if not question.is_disjoint_from(branch)]
    witness_schema: Json = {"type": question.kind}
    if not candidates:
        return [question.make_gap(GapKind.VARIANT, keyword, witness_schema)]
    attempts: list[list[Gap]] = []
    for branch in candidates:
        gaps = question.check_subschema(branch)
        if gaps:
            attempts.append(gaps)
        elif keyword == "anyOf" or len(candidates) == 1:
            return []
        else:
            return [question.make_gap(GapKind.OVERLAP, keyword, witness_schema, certain=False)]
    closest = min(attempts, key=len)
    return closest if len(candidates) == 1 else [gap.as_uncertain() for gap in closest]


def _compare_negation(question: Question) -> list[Gap]:
    negated = question.view.get_subschema(question.consumer, "not")
    if negated is None or question.keeps_keywords("not"):
        return []
    are_equivalent = question.checker.equivalence.are_equivalent
    if any(are_equivalent(location, negated) for location in question.producer.excluded):
        return []
    if question.is_disjoint_from(negated):
        return []
    return [question.make_gap(GapKind.EXCLUDED, "not", _quote_schema(question, negated), certain=False)]


def _compare_condition(question: Question) -> list[Gap]:
    condition, consequence, alternative = (
        question.view.get_subschema(question.consumer, keyword) for keyword in ("if", "then", "else")
    )
    if condition is None or question.keeps_keywords("if", "then", "else"):
        return []
    never_holds = question.is_disjoint_from(condition)
    if not never_holds and consequence is not None and question.check_subschema(consequence):
        quoted = _quote_schema(question, condition)
        refused: Json = {"not": _quote_schema(question, consequence) or False}
        witness_schema: Json = None if quoted is None else {"allOf": [quoted, refused]}
        return [question.make_gap(GapKind.CONDITION, "if", witness_schema, certain=False)]
    if alternative is None:
        return []
    always_holds = not never_holds and not question.check_subschema(condition)
    if not always_holds and question.check_subschema(alternative):
        return [question.make_gap(GapKind.CONDITION, "if", certain=False)]
    return []


def _quote_schema(question: Question, location: SchemaLocation) -> Json:
    """Return a subschema of the consumer for use inside the producer's, None if it means something else there."""
    dialect = question.view.dialect
    if question.producer.view.dialect != dialect or has_member(location.schema, frozenset(REFERENCE_KEYWORDS[dialect])):
        return None
    return location.schema


COMBINATOR_RULES = (
    KeywordRule(("anyOf",), partial(_compare_union, "anyOf")),
    KeywordRule(("oneOf",), partial(_compare_union, "oneOf")),
    KeywordRule(("not",), _compare_negation),
    KeywordRule(("if", "then", "else"), _compare_condition),
)
KEYWORD_RULES = RuleTable(
    (
        KeywordRule(("allOf",), _compare_conjunction),
        KeywordRule(("enum", "const"), _compare_constants),
        *COMBINATOR_RULES,
        *OBJECT_RULES,
        *ARRAY_RULES,
        *STRING_RULES,
        *NUMBER_RULES,
    )
)
