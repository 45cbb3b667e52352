"""Gaps of the keywords for strings and numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.bounds import LOWER_BOUND_KEYWORDS, UPPER_BOUND_KEYWORDS, NumberBound
from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json


def find_string_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    """Return where strings of the wide schema may be invalid under the narrow one."""
    view = context.narrow
    gaps: list[Gap] = []
    low, high = wide.find_size("minLength", "maxLength")
    least, most = view.get_number(narrow, "minLength"), view.get_number(narrow, "maxLength")
    if least is not None and low < least:
        hint: Json = {"maxLength": math.ceil(least) - 1}
        gaps.append(context.make_gap(GapKind.MIN_LENGTH, wide, narrow, path, "minLength", hint=hint))
    if most is not None and (high is None or high > most):
        hint = {"minLength": int(most) + 1}
        gaps.append(context.make_gap(GapKind.MAX_LENGTH, wide, narrow, path, "maxLength", hint=hint))
    pattern = view.get(narrow, "pattern")
    if isinstance(pattern, str) and pattern and not context.keeps_keywords(wide, narrow, "pattern"):
        gaps.append(context.make_gap(GapKind.PATTERN, wide, narrow, path, "pattern").as_uncertain())
    return gaps


def find_number_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, path: ValuePath
) -> list[Gap]:
    """Return where numbers of the wide schema may be invalid under the narrow one.

    Args:
        context: the comparison.
        wide: the values.
        narrow: the subschema of the narrow schema.
        kind: `integer`, or `number` for those with a fraction.
        path: path to the values.
    """
    view = context.narrow
    gaps: list[Gap] = []
    low, high = wide.bounds
    integral = kind == "integer"
    for keyword, excluded in LOWER_BOUND_KEYWORDS:
        bound = view.get_number(narrow, keyword)
        if bound is not None and not _is_as_tight(low, NumberBound(Fraction(bound), excluded), integral, 1):
            hint: Json = {"type": kind, "maximum" if excluded else "exclusiveMaximum": bound}
            gaps.append(context.make_gap(GapKind.MINIMUM, wide, narrow, path, keyword, hint=hint))
    for keyword, excluded in UPPER_BOUND_KEYWORDS:
        bound = view.get_number(narrow, keyword)
        if bound is not None and not _is_as_tight(high, NumberBound(Fraction(bound), excluded), integral, -1):
            hint = {"type": kind, "minimum" if excluded else "exclusiveMinimum": bound}
            gaps.append(context.make_gap(GapKind.MAXIMUM, wide, narrow, path, keyword, hint=hint))
    step = view.get_number(narrow, "multipleOf")
    if step is not None and not _are_multiples(wide, step, integral):
        gaps.append(context.make_gap(GapKind.MULTIPLE, wide, narrow, path, "multipleOf", hint={"type": kind}))
    return gaps


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


def _are_multiples(wide: Conjunction, step: int | float, integral: bool) -> bool:
    """Return whether all numbers of the wide schema are surely multiples of a step."""
    wide_steps = [value for part in wide.parts if (value := wide.view.get_number(part, "multipleOf")) is not None]
    if integral:
        wide_steps.append(1)
    return any(wide_step == step or _is_integral_multiple(wide_step, step) for wide_step in wide_steps)


def _is_integral_multiple(number: int | float, step: int | float) -> bool:
    return float(step).is_integer() and float(number).is_integer() and int(number) % int(step) == 0
