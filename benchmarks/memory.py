"""Memory of a call: its peak, what stays of it, and what a million of them leave behind."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import MODEL, OBJECT, WIRE, format_section
from benchmarks.figures import Figure
from benchmarks.values import LARGE, SMALL

if TYPE_CHECKING:
    from benchmarks.environments import Handle

PEAK, RETAINED = "memory of a call, peak", "memory of a call, retained after it"
GROWTH = "memory that a million calls leave"
"""In KiB. The first two count what Python allocates, the last one all memory of the process."""
CALLS, QUICK_CALLS, WARM_CALLS = 1_000_000, 1000, 10_000
KIB = 1024


def measure(handles: Sequence[Handle], quick: bool) -> list[Figure]:
    """Return the figures of the conversions from an instance on mcp 2.x, to the wire and to a result."""
    figures: list[Figure] = []
    calls = QUICK_CALLS if quick else CALLS
    for handle in handles:
        for target in (WIRE, OBJECT):
            if handle.section != format_section(target, MODEL) or "mcp 2.x" not in handle.contestant:
                continue
            if handle.value == LARGE:
                peak, retained = handle.measure_call()
                for section, number in ((PEAK, peak), (RETAINED, retained)):
                    name = f"{section}, {target}"
                    figures.append(Figure.of(name, LARGE, handle.contestant, "KiB", [number / KIB]))
            elif handle.value == SMALL:
                grown = handle.measure_growth(calls) / KIB
                figures.append(Figure.of(f"{GROWTH}, {target}", SMALL, handle.contestant, "KiB", [grown]))
                print(f"{calls:,} calls of {handle.contestant}, {target}", file=sys.stderr)
    return figures


def measure_call(run: Callable[[], object]) -> tuple[int, int]:
    """Return the bytes that Python allocates at the peak of a call, and those that stay when its result is gone."""
    run()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        run()
        _, peak = tracemalloc.get_traced_memory()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before, after - before


def measure_growth(run: Callable[[], object], calls: int) -> int:
    """Return how many bytes more the process has in memory after so many calls (Linux; 0 elsewhere)."""
    for _ in range(WARM_CALLS):
        run()
    gc.collect()
    before = _read_memory()
    for _ in range(calls):
        run()
    gc.collect()
    return _read_memory() - before


def _read_memory() -> int:
    try:
        text = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0
    return next(KIB * int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS:"))
