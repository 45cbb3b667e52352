"""Draw numbers that follow bounds and `multipleOf`."""

from __future__ import annotations

import math
from fractions import Fraction

from mcpgen.samples.bounds import Bound, intersect_number_bounds
from mcpgen.samples.context import DrawContext, Unsatisfiable
from mcpgen.schema.document import SchemaLocation

_REAL_PROBABILITY = 0.6
_INTEGRAL_FLOAT_PROBABILITY = 0.06
"""How likely an integer is drawn as a float, such as 2.0."""


def draw_number(context: DrawContext, locations: list[SchemaLocation], is_integer: bool) -> int | float:
    """Draw a number.

    Args:
        context: the state of the draw.
        locations: the schemas that the number has to satisfy, expanded.
        is_integer: whether it must be an integer.

    Raises:
        Unsatisfiable: no number is within the bounds.
    """
    lower, upper = intersect_number_bounds(locations)
    steps = [Fraction(str(divisor)) for location in locations if (divisor := location.get_number("multipleOf"))]
    is_real = not steps and not is_integer
    if is_real and context.decide(_REAL_PROBABILITY):
        return _draw_real(context, lower, upper)
    if is_integer or is_real:
        steps.append(Fraction(1))
    step = _combine_steps(steps)
    first, last = _find_multiples(lower, upper, step)
    if first is not None and last is not None and first > last:
        if is_real:
            return _draw_real(context, lower, upper)
        raise Unsatisfiable
    value = _draw_multiple(context, first, last) * step
    if value.denominator == 1:
        as_float = context.decide(_INTEGRAL_FLOAT_PROBABILITY) and abs(value) < 2**53
        return float(value) if as_float else int(value)
    return float(value)


def _combine_steps(steps: list[Fraction]) -> Fraction:
    """Return the least common multiple of fractions."""
    return Fraction(math.lcm(*(step.numerator for step in steps)), math.gcd(*(step.denominator for step in steps)))


def _find_multiples(lower: Bound | None, upper: Bound | None, step: Fraction) -> tuple[int | None, int | None]:
    """Return the first and the last multiple of a step within the bounds, counted in steps; None: unbounded."""
    first = None if lower is None else math.ceil(lower.value / step)
    last = None if upper is None else math.floor(upper.value / step)
    if first is not None and lower == Bound(first * step, True):
        first += 1
    if last is not None and upper == Bound(last * step, True):
        last -= 1
    return first, last


def _draw_multiple(context: DrawContext, first: int | None, last: int | None) -> int:
    """Draw an integer between the bounds, or near the one there is."""
    if context.takes_first:
        return max(1 if last is None else min(1, last), 1 if first is None else first)
    width = context.random.choice((3, 10, 1000, 2**40, 2**70) if context.is_varied else (10,))
    if first is None and last is None:
        first, last = -width, width
    low = first if first is not None else (last or 0) - width
    high = last if last is not None else low + width
    if context.decide(0.25):
        return context.random.choice((low, high))
    return context.random.randint(low, min(high, low + width))


def _draw_real(context: DrawContext, lower: Bound | None, upper: Bound | None) -> float:
    """Draw a number between the bounds; few decimals are preferred."""
    low = float(lower.value) if lower is not None else None
    high = float(upper.value) if upper is not None else None
    if low is None:
        low = (0.0 if high is None else high) - context.random.choice((1.0, 100.0, 1e9))
    if high is None:
        high = low + context.random.choice((1.0, 200.0, 1e10))
    if context.decide(0.1) and (lower is None or not lower.is_exclusive):
        return low
    value = low + (high - low) * (0.05 + 0.9 * context.random.random())
    rounded = round(value, 2)
    return rounded if low < rounded < high else value
