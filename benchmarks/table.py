"""Figures as aligned text, as Markdown and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks import growth
from benchmarks.cases import MODEL, OBJECT, WIRE, section
from benchmarks.figures import Figure
from benchmarks.goals import HTTP, STDIO, TIMES, Outcome
from benchmarks.values import BINARY, LARGE, MIDDLE, SMALL, TEXT

ABSENT = "–"
MAIN_VALUES = (SMALL, MIDDLE, LARGE, TEXT, BINARY)
MAIN_SECTIONS = (
    section(OBJECT, MODEL),
    section(WIRE, MODEL),
    *(TIMES.format(transport=transport) for transport in (STDIO, HTTP)),
)


def number(value: float) -> str:
    """Three digits that count, and commas."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(figure: Figure) -> str:
    """The median, and how far the quartiles are from it on the mean; an exponent says so itself."""
    if figure.unit == "exponent":
        return growth.shown(figure)
    spread = (figure.high - figure.low) / 2 / figure.median if figure.median else 0.0
    return f"{number(figure.median)} ±{spread:.0%}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns; the first is the heading, and its first column is on the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        first, *rest = (
            one.ljust(width) if index == 0 else one.rjust(width)
            for index, (one, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *rest]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """The same as a Markdown table."""
    first, *rest = rows
    rule = ["---"] + ["--:"] * (len(first) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in (first, rule, *rest))


def grid(figures: Sequence[Figure], shown: Callable[[Figure], str] = cell) -> list[list[str]]:
    """A section as rows of cells: a row for each contestant, a column for each value, both as they came."""
    values = list(dict.fromkeys(one.value for one in figures))
    contestants = list(dict.fromkeys(one.contestant for one in figures))
    held = {(one.value, one.contestant): shown(one) for one in figures}
    heading = [", ".join(dict.fromkeys(one.unit for one in figures)), *values]
    return [heading, *([name, *(held.get((value, name), ABSENT) for value in values)] for name in contestants)]


def sections(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """The figures of each section, as they came."""
    out: dict[str, list[Figure]] = {}
    for one in figures:
        out.setdefault(one.section, []).append(one)
    return out


def text(figures: Sequence[Figure]) -> str:
    """A table for each section: the median of the rounds, and the quartiles."""
    tables = [f"== {name}\n{aligned(grid(held))}" for name, held in sections(figures).items()]
    return "\n\n".join(tables)


def readme(figures: Sequence[Figure]) -> str:
    """The tables that the README shows, in Markdown: the same values in each, as far as they are measured there."""
    found: list[str] = []
    for name, held in sections(one for one in figures if one.value in MAIN_VALUES).items():
        if name in MAIN_SECTIONS:
            found.append(f"{name[0].upper()}{name[1:]}:\n\n{markdown(grid(held))}")
    return "\n\n".join(found)


def outcomes(found: Sequence[Outcome], render: Callable[[Sequence[Sequence[str]]], str] = aligned) -> str:
    """The table of goals: what is wanted, what was measured, whether that is met."""
    rows = [["goal", "wanted", "measured", "met"]]
    for one in found:
        goal = one.goal
        wanted = f"≥ {goal.least:g}" if goal.least is not None else f"≤ {goal.most:g}"
        rows.append([goal.name, wanted, f"{one.ratio:.2f}", "yes" if one.met else "NO"])
    return render(rows)


def document(figures: Sequence[Figure], found: Sequence[Outcome], facts: dict[str, Any]) -> dict[str, Any]:
    """All of a run as a JSON value."""
    return {
        **facts,
        "figures": [dataclasses.asdict(one) for one in figures],
        "goals": [
            {"goal": one.goal.name, "least": one.goal.least, "most": one.goal.most, "ratio": one.ratio, "met": one.met}
            for one in found
        ],
    }
