"""The gaps between a conjunction and the keywords of a place that speak of strings and numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.intersection import Conjunction, NumberBound
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json


def find_string_gaps(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    """Where strings among the wide schema's are not among the narrow one's."""
    book = check.narrow
    out: list[Gap] = []
    low, high = wide.size("minLength", "maxLength")
    least, most = book.get_number(narrow, "minLength"), book.get_number(narrow, "maxLength")
    if least is not None and low < least:
        out.append(
            check.make_gap(GapKind.MIN_LENGTH, wide, narrow, way, "minLength", hint={"maxLength": math.ceil(least) - 1})
        )
    if most is not None and (high is None or high > most):
        out.append(
            check.make_gap(GapKind.MAX_LENGTH, wide, narrow, way, "maxLength", hint={"minLength": int(most) + 1})
        )
    pattern = book.get(narrow, "pattern")
    if isinstance(pattern, str) and pattern and not check.keeps_keywords(wide, narrow, "pattern"):
        out.append(check.make_gap(GapKind.PATTERN, wide, narrow, way, "pattern").as_uncertain())
    return out


def find_number_gaps(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, kind: str, way: ValuePath
) -> list[Gap]:
    """Where numbers of a kind among the wide schema's are not among the narrow one's."""
    book = check.narrow
    out: list[Gap] = []
    low, high = wide.bounds
    whole = kind == "integer"
    for word, excluded in (("minimum", False), ("exclusiveMinimum", True)):
        bound = book.get_number(narrow, word)
        if bound is not None and not _is_as_tight(low, NumberBound(Fraction(bound), excluded), whole, 1):
            hint: Json = {"type": kind, "maximum" if excluded else "exclusiveMaximum": bound}
            out.append(check.make_gap(GapKind.MINIMUM, wide, narrow, way, word, hint=hint))
    for word, excluded in (("maximum", False), ("exclusiveMaximum", True)):
        bound = book.get_number(narrow, word)
        if bound is not None and not _is_as_tight(high, NumberBound(Fraction(bound), excluded), whole, -1):
            hint = {"type": kind, "minimum" if excluded else "exclusiveMinimum": bound}
            out.append(check.make_gap(GapKind.MAXIMUM, wide, narrow, way, word, hint=hint))
    step = book.get_number(narrow, "multipleOf")
    if step is not None and not _are_multiples(wide, step, whole):
        out.append(check.make_gap(GapKind.MULTIPLE, wide, narrow, way, "multipleOf", hint={"type": kind}))
    return out


def _is_as_tight(held: NumberBound | None, wanted: NumberBound, whole: bool, sign: int) -> bool:
    """Whether a bound is at least as tight as another; `sign` is 1 for lower bounds, -1 for upper ones."""
    if held is None:
        return False
    mine, theirs = held.value * sign, wanted.value * sign
    if whole:
        return _round_up(mine, held.excluded) >= _round_up(theirs, wanted.excluded)
    return mine > theirs or (mine == theirs and (held.excluded or not wanted.excluded))


def _round_up(value: Fraction, excluded: bool) -> int:
    """The smallest integer at or above a bound."""
    return math.floor(value) + 1 if excluded else math.ceil(value)


def _are_multiples(wide: Conjunction, step: int | float, whole: bool) -> bool:
    """Whether all numbers are multiples of a step."""
    steps = [own for part in wide.parts if (own := wide.book.get_number(part, "multipleOf")) is not None]
    if whole:
        steps.append(1)
    integral = float(step).is_integer()
    return any(own == step or (integral and float(own).is_integer() and int(own) % int(step) == 0) for own in steps)
