"""Plots of figures as SVG, readable on light and on dark pages: ratios to mcp 2.x, and growth on logarithmic scales.

`python -m benchmarks.plots FILE FOLDER` draws what `python -m benchmarks --json FILE` wrote.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from benchmarks.figures import Figure
from benchmarks.growth import FITTED, SIZE, fits, is_steep

BASE = "mcp 2.x"
"""The contestant that the others are compared with."""
INK, OURS, OTHERS = "#747c85", "#2f81f7", "#9aa2ab"
LINES = ("#2f81f7", "#d97706", "#2da44e", "#a371f7", "#db61a2", "#1b9e9e", "#b08800")
"""Colours with contrast on white and on GitHub's dark grey."""
STYLE: Any = {  # matplotlib's type for the keys is a Literal of all that there are
    "svg.hashsalt": "mcpgen",
    "svg.fonttype": "path",
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlesize": 9.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
}
MOST = 7
"""Contestants of a growth plot that can be told apart."""


def write(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Write the plots of figures: a file for each section where mcp 2.x was measured, and for each kind of size."""
    plotted = [figure for figure in figures if figure.section != FITTED and figure.unit != "KiB"]
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with matplotlib.rc_context(STYLE):
        drawings = {**_plot_ratios(plotted), **_plot_growths(plotted)}
        for name, drawing in drawings.items():
            path = folder / f"{name}.svg"
            drawing.savefig(path, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
            written.append(path)
    return written


# --- ratios ----------------------------------------------------------------------------------------------------------
def compute_ratios(figures: Iterable[Figure]) -> dict[str, dict[str, dict[str, float]]]:
    """Section → value → contestant → how many times as fast it is as mcp 2.x, where that was measured."""
    grouped: dict[str, dict[str, dict[str, Figure]]] = {}
    for figure in figures:
        grouped.setdefault(figure.section, {}).setdefault(figure.value, {})[figure.contestant] = figure
    out: dict[str, dict[str, dict[str, float]]] = {}
    for section, values in grouped.items():
        for value, contestants in values.items():
            if BASE in contestants and len(contestants) > 1:
                base = contestants[BASE]
                ratios_by_name = {
                    name: _times(base, figure)
                    for name, figure in contestants.items()
                    if figure.median > 0 and base.median > 0
                }
                if len(ratios_by_name) > 1:
                    out.setdefault(section, {})[value] = ratios_by_name
    return out


def _times(base: Figure, figure: Figure) -> float:
    return figure.median / base.median if figure.unit == "calls/s" else base.median / figure.median


def _plot_ratios(figures: Sequence[Figure]) -> dict[str, Drawing]:
    grown = {section for section, *_ in _group_series(figures)}
    return {
        f"ratio-{_make_slug(section)}": _plot_ratio(section, values)
        for section, values in compute_ratios(figures).items()
        if section not in grown
    }


def _plot_ratio(section: str, values: dict[str, dict[str, float]]) -> Drawing:
    """Bars from 1 to the right where a contestant is faster than mcp 2.x, to the left where it is slower."""
    names = list(dict.fromkeys(name for ratios in values.values() for name in ratios))
    names.sort(key=lambda name: not name.startswith("mcpgen"))
    every = [ratio for ratios in values.values() for ratio in ratios.values()]
    least, most = min(0.5, *every) / 1.6, max(2.0, *every) * 2.6
    drawing = Drawing(figsize=(2.1 + 1.75 * len(values), 1.1 + 0.24 * len(names)), layout="constrained")
    drawing.suptitle(f"{section}: times as fast as {BASE} (logarithmic)", color=INK, fontsize=10)
    panels = drawing.subplots(1, len(values), sharey=True, squeeze=False)[0]
    for panel, (value, bars) in zip(panels, values.items(), strict=True):
        for row, name in enumerate(names):
            if name in bars:
                _draw_bar(panel, row, bars[name], OURS if name.startswith("mcpgen") else OTHERS)
        panel.set_xscale("log")
        panel.set_xlim(least, most)
        panel.set_title(value)
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.axvline(1, color=INK, linewidth=0.9)
        panel.tick_params(axis="y", length=0)
        panel.spines["left"].set_visible(False)
    return drawing


def _draw_bar(panel: Axes, row: int, ratio: float, colour: str) -> None:
    panel.barh(row, ratio - 1, left=1, height=0.62, color=colour)
    text = f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×" if ratio >= 1 else f"{ratio:.2f}×"
    panel.annotate(text, (max(ratio, 1), row), (3, 0), textcoords="offset points", va="center", fontsize=7.5, color=INK)


# --- growth ----------------------------------------------------------------------------------------------------------
def _group_series(figures: Iterable[Figure]) -> dict[tuple[str, str], dict[str, list[tuple[float, float, str]]]]:
    """(Section, kind of size) → contestant → size, cost, unit, of those that were measured at three sizes or more."""
    out: dict[tuple[str, str], dict[str, list[tuple[float, float, str]]]] = {}
    for figure in figures:
        if (size := SIZE.fullmatch(figure.value)) and figure.median > 0 and figure.unit not in ("calls/s", "modules"):
            points = out.setdefault((figure.section, size[2]), {}).setdefault(figure.contestant, [])
            points.append((float(size[1].replace(",", "")), figure.median, figure.unit))
    long_series = {
        key: {name: sorted(points) for name, points in points_by_name.items() if len(points) > 2}
        for key, points_by_name in out.items()
    }
    return {key: series for key, series in long_series.items() if series}


def _plot_growths(figures: Sequence[Figure]) -> dict[str, Drawing]:
    kinds: dict[str, dict[str, dict[str, list[tuple[float, float, str]]]]] = {}
    for (section, kind), series in _group_series(figures).items():
        kinds.setdefault(kind, {})[section] = series
    fitted = {(fit.value, fit.contestant): fit for fit in fits(figures)}
    return {f"growth-{_make_slug(kind)}": _plot_growth(kind, sections, fitted) for kind, sections in kinds.items()}


def _plot_growth(
    kind: str,
    sections: dict[str, dict[str, list[tuple[float, float, str]]]],
    fitted: dict[tuple[str, str], Figure],
) -> Drawing:
    """A panel for each section, a line for each contestant; a dotted line shows what would be in proportion."""
    columns = min(3, len(sections))
    rows = math.ceil(len(sections) / columns)
    drawing = Drawing(figsize=(0.3 + 3.6 * columns, 0.4 + 3.1 * rows), layout="constrained")
    drawing.suptitle(
        f"growth with {kind} (logarithmic; dotted: in proportion to the size; exponents in brackets)", fontsize=10
    )
    panels = drawing.subplots(rows, columns, squeeze=False).flatten().tolist()
    for panel, (section, series) in zip(panels, sections.items(), strict=False):
        for (name, points), colour in zip([*series.items()][:MOST], LINES, strict=False):
            fit = fitted.get((section if kind in section else f"{section}, against {kind}", name))
            _draw_line(panel, name, points, colour, fit)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(section.removesuffix(f", against {kind}"))
        sizes = sorted({size for points in series.values() for size, _, _ in points})
        panel.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
        panel.xaxis.set_minor_locator(NullLocator())
        panel.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.12g}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.set_ylabel(next(iter(series.values()))[0][2])
        panel.grid(color=INK, alpha=0.25, linewidth=0.5)
        panel.legend(loc="upper left", handlelength=1.4)
        costs = [cost for points in series.values() for _, cost, _ in points]
        low, high = min(costs) / 1.5, max(costs) * 1.5
        panel.set_ylim(low, high * (high / low) ** (0.1 * min(len(series), MOST)))  # room for the legend
    for panel in panels[len(sections) :]:
        panel.set_visible(False)
    return drawing


def _draw_line(
    panel: Axes, name: str, points: Sequence[tuple[float, float, str]], colour: str, fit: Figure | None
) -> None:
    sizes, costs = [size for size, _, _ in points], [cost for _, cost, _ in points]
    fit_text = "" if fit is None else f" ({fit.median:.2f}{', super-linear' if is_steep(fit) else ''})"
    panel.plot(sizes, costs, marker="o", markersize=3, linewidth=1.4, color=colour, label=name + fit_text)
    panel.plot(sizes, [costs[-1] * size / sizes[-1] for size in sizes], color=colour, linewidth=0.7, linestyle=":")


def _make_slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def main() -> None:
    """Draw the figures of a file into a folder."""
    file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for path in write([Figure(**figure) for figure in json.loads(file.read_text("utf-8"))["figures"]], folder):
        print(path)


if __name__ == "__main__":
    main()
