"""Rounds over all cases of all workers, each case once a round, so that a machine that slows down slows all alike."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.cases import CALL, OBJECT, READ, STAGE, WIRE
from benchmarks.environments import ENVIRONMENTS, Handle, Worker, make_package_name
from benchmarks.figures import Figure

SECONDS, QUICK_SECONDS = 0.12, 0.002
"""How long a case is timed in a round: long enough for the searches for garbage that its calls cause."""
MICROSECONDS = 1e6
HEADINGS = {"wire": WIRE, "objects": OBJECT, "checks": READ, "clients": CALL, "stages": STAGE}
"""What the headings of the cases in a section start with."""


def interleave_rounds(handles: Sequence[Handle], rounds: int, seconds: float) -> list[Figure]:
    """Return the figures of cases, each timed once a round, in another order every round.

    Raises:
        WorkerError: a case makes something else than it has to.
    """
    for handle in handles:
        handle.check()
    loops = [handle.calibrate(seconds) for handle in handles]
    times: list[list[float]] = [[] for _ in handles]
    order, chance = list(range(len(handles))), random.Random(0)
    for number in range(rounds):
        chance.shuffle(order)
        for index in order:
            times[index].append(handles[index].time(loops[index]) * MICROSECONDS)
        print(f"{number + 1} of {rounds} rounds over {len(handles)} cases", file=sys.stderr)
    return [
        Figure.of(handle.section, handle.value, handle.contestant, "µs", seconds)
        for handle, seconds in zip(handles, times, strict=True)
    ]


def load(workers: Mapping[str, Worker]) -> list[Handle]:
    """Every contestant of every environment for which there is a worker."""
    handles: list[Handle] = []
    for environment in ENVIRONMENTS:
        if environment.name in workers:
            worker = workers[environment.name]
            for sdk in environment.sdks:
                handles += worker.load(
                    "benchmarks.contestants.generated:make_cases", package=make_package_name(sdk), sdk=sdk
                )
            for target, arguments in environment.cases:
                handles += worker.load(target, **arguments)
    return handles


def choose_cases(handles: Iterable[Handle], sections: Sequence[str]) -> list[Handle]:
    """Those of the sections in `HEADINGS`."""
    headings = [heading for name, heading in HEADINGS.items() if name in sections]
    return [handle for handle in handles if handle.section.startswith(tuple(headings))]
