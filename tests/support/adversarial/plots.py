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


def curves(verdicts: Iterable[Verdict], way: str) -> dict[str, Curve]:
    """Return the curves of the pairs that cost most for each byte at their largest size, the worst first."""
    held: dict[str, Curve] = {}
    for verdict in verdicts:
        points = {one["bytes"]: max(one["ms"], 0.01) for one in verdict.readings if one["ms"] > 0}
        if verdict.way == way and len(points) > 1:
            held[verdict.pair] = sorted(points.items())
    cost = {pair: curve[-1][1] / curve[-1][0] for pair, curve in held.items() if curve[-1][1] >= 5}
    return {pair: held[pair] for pair in sorted(cost, key=lambda pair: -cost[pair])[:WORST]}


def draw(verdicts: Iterable[Verdict], folder: Path) -> list[str]:
    """Write a plot for each way that was measured, and return their names."""
    held, written = [*verdicts], list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for way, title in TITLES.items():
            if found := curves(held, way):
                name = f"values-{way}.svg"
                metadata = {"Date": None, "Creator": None}
                _drawing(found, title).savefig(folder / name, format="svg", transparent=True, metadata=metadata)
                written.append(name)
    return written


def _drawing(found: dict[str, Curve], title: str) -> Figure:
    drawing = Figure(figsize=(8, 4.2), layout="constrained")
    axes = drawing.add_subplot()
    for colour, (pair, curve) in zip(COLOURS, found.items(), strict=False):
        sizes, spent = zip(*curve, strict=True)
        axes.plot(sizes, spent, marker="o", markersize=3, linewidth=1.4, color=colour, label=pair)
    most = max(curve[-1][0] for curve in found.values())
    least = min(curve[0][0] for curve in found.values())
    axes.plot([least, most], [least / 1000, most / 1000], linestyle=":", color=INK, label="linear: 1 µs a byte")
    axes.set(xscale="log", yscale="log", xlabel="bytes of the value as JSON", ylabel="ms of CPU time", title=title)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing
