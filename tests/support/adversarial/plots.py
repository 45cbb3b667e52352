"""Plots of what reading adversarial values costs: milliseconds over bytes, for the schemas that cost most."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from support.adversarial.ways import Verdict

from benchmarks.plots import INK, LINES, STYLE

WORST = 8
COLOURS = (*LINES, "#cf222e")
TITLES = {
    "validate": "reading an adversarial value: from_structured_content",
    "call": "reading adversarial arguments: a bound handler",
}
"""The ways that are drawn."""

Curve = list[tuple[int, float]]
"""Bytes of a value, and milliseconds of CPU time."""


def curves(verdicts: Iterable[Verdict], entry: str) -> dict[str, Curve]:
    """Return the curves of the pairs that cost most for each byte at their largest size, the worst first."""
    curves_by_name: dict[str, Curve] = {}
    for verdict in verdicts:
        points = {reading["bytes"]: max(reading["ms"], 0.01) for reading in verdict.readings if reading["ms"] > 0}
        if verdict.way == entry and len(points) > 1:
            curves_by_name[verdict.pair] = sorted(points.items())
    cost = {pair: curve[-1][1] / curve[-1][0] for pair, curve in curves_by_name.items() if curve[-1][1] >= 5}
    return {pair: curves_by_name[pair] for pair in sorted(cost, key=lambda pair: -cost[pair])[:WORST]}


def draw(verdicts: Iterable[Verdict], folder: Path) -> list[str]:
    """Write a plot for each way that was measured, and return their names."""
    measured, written = [*verdicts], list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for entry, title in TITLES.items():
            if drawn := curves(measured, entry):
                name = f"values-{entry}.svg"
                metadata = {"Date": None, "Creator": None}
                _drawing(drawn, title).savefig(folder / name, format="svg", transparent=True, metadata=metadata)
                written.append(name)
    return written


def _drawing(curves: dict[str, Curve], title: str) -> Figure:
    drawing = Figure(figsize=(8, 4.2), layout="constrained")
    axes = drawing.add_subplot()
    for colour, (pair, curve) in zip(COLOURS, curves.items(), strict=False):
        sizes, spent = zip(*curve, strict=True)
        axes.plot(sizes, spent, marker="o", markersize=3, linewidth=1.4, color=colour, label=pair)
    most = max(curve[-1][0] for curve in curves.values())
    least = min(curve[0][0] for curve in curves.values())
    axes.plot([least, most], [least / 1000, most / 1000], linestyle=":", color=INK, label="linear: 1 µs a byte")
    axes.set(xscale="log", yscale="log", xlabel="bytes of the value as JSON", ylabel="ms of CPU time", title=title)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing
