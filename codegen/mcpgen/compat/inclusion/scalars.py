"""Gaps of the keywords for strings and numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.bounds import NumberBound
from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.schema.keywords import LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS
from mcpgen.schema.values import Json


# --- strings ---------------------------------------------------------------------------------------------------------
def _compare_lengths(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer = context.consumer, question.consumer
    gaps: list[Gap] = []
    low, high = question.producer.find_size("minLength", "maxLength")
    least, most = view.get_number(consumer, "minLength"), view.get_number(consumer, "maxLength")
    if least is not None and low < least:
        witness_schema: Json = {"maxLength": math.ceil(least) - 1}
        gaps.append(make_gap(context, question, GapKind.MIN_LENGTH, "minLength", witness_schema=witness_schema))
    if most is not None and (high is None or high > most):
        witness_schema = {"minLength": int(most) + 1}
        gaps.append(make_gap(context, question, GapKind.MAX_LENGTH, "maxLength", witness_schema=witness_schema))
    return gaps


def _compare_pattern(context: InclusionContext, question: Question) -> list[Gap]:
    pattern = context.consumer.get(question.consumer, "pattern")
    if not isinstance(pattern, str) or not pattern or context.keeps_keywords(question, "pattern"):
        return []
    return [make_gap(context, question, GapKind.PATTERN, "pattern").as_uncertain()]


# --- numbers ---------------------------------------------------------------------------------------------------------
def _compare_bounds(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer, kind = context.consumer, question.consumer, question.kind
    gaps: list[Gap] = []
    low, high = question.producer.bounds
    integral = kind == "integer"
    for keyword, excluded in LOWER_NUMBER_BOUNDS.items():
        bound = view.get_number(consumer, keyword)
        if bound is not None and not _is_as_tight(low, NumberBound(Fraction(bound), excluded), integral, 1):
            witness_schema: Json = {"type": kind, "maximum" if excluded else "exclusiveMaximum": bound}
            gaps.append(make_gap(context, question, GapKind.MINIMUM, keyword, witness_schema=witness_schema))
    for keyword, excluded in UPPER_NUMBER_BOUNDS.items():
        bound = view.get_number(consumer, keyword)
        if bound is not None and not _is_as_tight(high, NumberBound(Fraction(bound), excluded), integral, -1):
            witness_schema = {"type": kind, "minimum" if excluded else "exclusiveMinimum": bound}
            gaps.append(make_gap(context, question, GapKind.MAXIMUM, keyword, witness_schema=witness_schema))
    return gaps


def _compare_steps(context: InclusionContext, question: Question) -> list[Gap]:
    step = context.consumer.get_number(question.consumer, "multipleOf")
    if step is None or _are_multiples(question.producer, step, question.kind == "integer"):
        return []
    return [make_gap(context, question, GapKind.MULTIPLE, "multipleOf", witness_schema={"type": question.kind})]


def _is_as_tight(bound: NumberBound | None, other: NumberBound, integral: bool, sign: int) -> bool:
    """Return whether a bound is at least as tight as another; `sign` is 1 for lower bounds, -1 for upper ones."""
    if bound is None:
        return False
    value, other_value = bound.value * sign, other.value * sign
    if integral:
        return _round_up(value, bound.excluded) >= _round_up(other_value, other.excluded)
    return value > other_value or (value == other_value and (bound.excluded or not other.excluded))


def _round_up(value: Fraction, excluded: bool) -> int:
    """Return the smallest integer that a lower bound allows."""
    return math.floor(value) + 1 if excluded else math.ceil(value)


def _are_multiples(producer: Conjunction, step: int | float, integral: bool) -> bool:
    """Return whether all numbers of the producer's schema are surely multiples of a step."""
    producer_steps = [
        value
        for part in producer.parts_with("multipleOf")
        if (value := producer.view.get_number(part, "multipleOf")) is not None
    ]
    if integral:
        producer_steps.append(1)
    return any(producer_step == step or _is_integral_multiple(producer_step, step) for producer_step in producer_steps)


def _is_integral_multiple(number: int | float, step: int | float) -> bool:
    return float(step).is_integer() and float(number).is_integer() and int(number) % int(step) == 0


STRING_RULES = (
    KeywordRule(("minLength", "maxLength"), _compare_lengths),
    KeywordRule(("pattern",), _compare_pattern),
)
NUMBER_RULES = (
    KeywordRule((*LOWER_NUMBER_BOUNDS, *UPPER_NUMBER_BOUNDS), _compare_bounds),
    KeywordRule(("multipleOf",), _compare_steps),
)
