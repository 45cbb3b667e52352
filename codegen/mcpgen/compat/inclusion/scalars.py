"""Gaps of the keywords for strings and numbers, and of those for sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.checker import KeywordRule, Question
from mcpgen.compat.inclusion.conjunction import Conjunction, NumberBound
from mcpgen.schema.keywords import LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS


# --- sizes -----------------------------------------------------------------------------------------------------------
def make_size_rule(least_keyword: str, most_keyword: str, fewer: GapKind, more: GapKind) -> KeywordRule:
    """Return the rule of the keywords that bound a length, or a number of items or properties."""

    def compare_sizes(question: Question) -> list[Gap]:
        low, high = question.producer.find_sizes(question.kind)
        least = question.view.get_number(question.consumer, least_keyword)
        most = question.view.get_number(question.consumer, most_keyword)
        gaps: list[Gap] = []
        if least is not None and low < least:
            size = math.ceil(least) - 1 if question.kind == "string" else low  # no pattern may match so short a string
            gaps.append(question.make_gap(fewer, least_keyword, {most_keyword: size}))
        if most is not None and (high is None or high > most):
            gaps.append(question.make_gap(more, most_keyword, {least_keyword: int(most) + 1}))
        return gaps

    return KeywordRule((least_keyword, most_keyword), compare_sizes)


# --- strings ---------------------------------------------------------------------------------------------------------
def _compare_pattern(question: Question) -> list[Gap]:
    pattern = question.view.get(question.consumer, "pattern")
    if not isinstance(pattern, str) or not pattern or question.keeps_keywords("pattern"):
        return []
    return [question.make_gap(GapKind.PATTERN, "pattern", certain=False)]


# --- numbers ---------------------------------------------------------------------------------------------------------
def _compare_bounds(question: Question) -> list[Gap]:
    low, high = question.producer.bounds
    below, above = ("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")
    return [
        *_compare_bound(question, low, LOWER_NUMBER_BOUNDS, 1, GapKind.MINIMUM, below),
        *_compare_bound(question, high, UPPER_NUMBER_BOUNDS, -1, GapKind.MAXIMUM, above),
    ]


def _compare_bound(
    question: Question,
    bound: NumberBound | None,
    keywords: Mapping[str, bool],
    sign: int,
    kind: GapKind,
    beyond: tuple[str, str],
) -> Iterator[Gap]:
    """Yield the gaps of lower (`sign` 1) or upper bounds (-1); `beyond` describes the numbers beyond a bound."""
    for keyword, excluded in keywords.items():
        limit = question.view.get_number(question.consumer, keyword)
        if limit is None:
            continue
        other = NumberBound(Fraction(limit), excluded)
        if bound is None or not _is_as_tight(bound, other, question.kind == "integer", sign):
            yield question.make_gap(kind, keyword, {"type": question.kind, beyond[excluded]: limit})


def _is_as_tight(bound: NumberBound, other: NumberBound, integral: bool, sign: int) -> bool:
    value, other_value = bound.value * sign, other.value * sign
    if integral:
        return _round_up(value, bound.excluded) >= _round_up(other_value, other.excluded)
    return value > other_value or (value == other_value and (bound.excluded or not other.excluded))


def _round_up(value: Fraction, excluded: bool) -> int:
    return math.floor(value) + 1 if excluded else math.ceil(value)


def _compare_steps(question: Question) -> list[Gap]:
    step = question.view.get_number(question.consumer, "multipleOf")
    if step is None or _are_multiples(question.producer, step, question.kind == "integer"):
        return []
    return [question.make_gap(GapKind.MULTIPLE, "multipleOf", {"type": question.kind})]


def _are_multiples(producer: Conjunction, step: int | float, integral: bool) -> bool:
    steps = [*producer.list_numbers("multipleOf"), *([1] if integral else [])]
    return any(known == step or _is_integral_multiple(known, step) for known in steps)


def _is_integral_multiple(number: int | float, step: int | float) -> bool:
    return float(step).is_integer() and float(number).is_integer() and int(number) % int(step) == 0


STRING_RULES = (
    make_size_rule("minLength", "maxLength", GapKind.MIN_LENGTH, GapKind.MAX_LENGTH),
    KeywordRule(("pattern",), _compare_pattern),
)
NUMBER_RULES = (
    KeywordRule((*LOWER_NUMBER_BOUNDS, *UPPER_NUMBER_BOUNDS), _compare_bounds),
    KeywordRule(("multipleOf",), _compare_steps),
)
