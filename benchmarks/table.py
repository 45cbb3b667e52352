"""Figures as aligned text, as Markdown and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks import growth
from benchmarks.cases import MODEL, OBJECT, WIRE, format_section
from benchmarks.figures import Figure
from benchmarks.goals import HTTP, STDIO, TIMES, Outcome
from benchmarks.values import BINARY, LARGE, MIDDLE, SMALL, TEXT

ABSENT = "–"
MAIN_VALUES = (SMALL, MIDDLE, LARGE, TEXT, BINARY)
MAIN_SECTIONS = (
    format_section(OBJECT, MODEL),
    format_section(WIRE, MODEL),
    *(TIMES.format(transport=transport) for transport in (STDIO, HTTP)),
)


def number(value: float) -> str:
    """Three digits that count, and commas."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def format_cell(figure: Figure) -> str:
    """Return the median, and how far the quartiles are from it on the mean; an exponent says so itself."""
    if figure.unit == "exponent":
        return growth.format_fits(figure)
    spread = (figure.high - figure.low) / 2 / figure.median if figure.median else 0.0
    return f"{number(figure.median)} ±{spread:.0%}"


def align_rows(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns; the first is the heading, and its first column is on the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        first, *other_rows = (
            text.ljust(width) if index == 0 else text.rjust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *other_rows]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def render_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return the same as a Markdown table."""
    first, *other_rows = rows
    rule = ["---"] + ["--:"] * (len(first) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in (first, rule, *other_rows))


def make_grid(figures: Sequence[Figure], render_figure: Callable[[Figure], str] = format_cell) -> list[list[str]]:
    """A section as rows of cells: a row for each contestant, a column for each value, both as they came."""
    values = list(dict.fromkeys(figure.value for figure in figures))
    contestants = list(dict.fromkeys(figure.contestant for figure in figures))
    texts = {(figure.value, figure.contestant): render_figure(figure) for figure in figures}
    heading = [", ".join(dict.fromkeys(figure.unit for figure in figures)), *values]
    return [heading, *([name, *(texts.get((value, name), ABSENT) for value in values)] for name in contestants)]


def group_sections(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """Return the figures of each section, as they came."""
    out: dict[str, list[Figure]] = {}
    for figure in figures:
        out.setdefault(figure.section, []).append(figure)
    return out


def render_text(figures: Sequence[Figure]) -> str:
    """A table for each section: the median of the rounds, and the quartiles."""
    tables = [f"== {name}\n{align_rows(make_grid(figures))}" for name, figures in group_sections(figures).items()]
    return "\n\n".join(tables)


def render_readme(figures: Sequence[Figure]) -> str:
    """Return the tables that the README shows, in Markdown: the same values in each, as far as they are measured
    there.
    """
    parts: list[str] = []
    for name, section_figures in group_sections(figure for figure in figures if figure.value in MAIN_VALUES).items():
        if name in MAIN_SECTIONS:
            parts.append(f"{name[0].upper()}{name[1:]}:\n\n{render_markdown(make_grid(section_figures))}")
    return "\n\n".join(parts)


def render_outcomes(outcomes: Sequence[Outcome], render: Callable[[Sequence[Sequence[str]]], str] = align_rows) -> str:
    """Return the table of goals: what is wanted, what was measured, whether that is met."""
    rows = [["goal", "wanted", "measured", "met"]]
    for outcome in outcomes:
        goal = outcome.goal
        goal_text = f"≥ {goal.least:g}" if goal.least is not None else f"≤ {goal.most:g}"
        rows.append([goal.name, goal_text, f"{outcome.ratio:.2f}", "yes" if outcome.met else "NO"])
    return render(rows)


def make_document(figures: Sequence[Figure], outcomes: Sequence[Outcome], facts: dict[str, Any]) -> dict[str, Any]:
    """All of a run as a JSON value."""
    return {
        **facts,
        "figures": [dataclasses.asdict(figure) for figure in figures],
        "goals": [
            {
                "goal": outcome.goal.name,
                "least": outcome.goal.least,
                "most": outcome.goal.most,
                "ratio": outcome.ratio,
                "met": outcome.met,
            }
            for outcome in outcomes
        ],
    }
