"""What a benchmark measured: one figure for each value and contestant, with its spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """The median of some rounds, and the quartiles around it."""

    section: str
    """What is measured, such as `to wire bytes`: the table's heading."""
    value: str
    """On what, such as `2,000 rows` or `1,000 tools`: the row."""
    contestant: str
    """By what, such as `mcpgen on mcp` or `mcp 2.x, convert_result`: the column."""
    unit: str
    """`µs`, `ms`, `s`, `MiB` or `calls/s`."""
    median: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, section: str, value: str, contestant: str, unit: str, rounds: Sequence[float]) -> Figure:
        """Return the figure of the rounds' results, at least one."""
        middle = statistics.median(rounds)
        low, _, high = statistics.quantiles(rounds, n=4, method="inclusive") if len(rounds) > 1 else (middle,) * 3
        return cls(section, value, contestant, unit, middle, low, high, len(rounds))


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line through (log size, log cost): 1 where the cost is in proportion to the size.

    Raises:
        ValueError: there are fewer than two sizes, or one that is not positive.
    """
    if len(points) < 2 or any(size <= 0 or cost <= 0 for size, cost in points):
        raise ValueError("a slope takes two points with positive coordinates")
    slope, _ = statistics.linear_regression([math.log(size) for size, _ in points], [math.log(c) for _, c in points])
    return slope
