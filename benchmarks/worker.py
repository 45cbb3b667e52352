"""A process in an environment of its own that times what it is asked to: JSON lines in, JSON lines out.

{"load": "module:function", "with": {…}}   the function gives Cases; their [section, value, contestant], in order
{"check": n}                               whether case n of all that were loaded makes what it has to
{"calibrate": n, "seconds": s}             how many loops of case n take that long
{"time": n, "loops": m}                    seconds of CPU time of one loop, the mean of m
{"memory": n}                              bytes at the peak of a call of case n, and what stays of them
{"growth": n, "calls": m}                  bytes that m calls of case n leave
{"versions": ["mcp", …]}                   of distributions, and of Python
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from benchmarks.cases import Case
from benchmarks.memory import measure_call, measure_growth

WARM = 2
"""Loops before those that count."""


def load(target: str, arguments: dict[str, Any]) -> list[Case]:
    """Return the cases that a function of a module gives."""
    module, _, function = target.partition(":")
    cases: list[Case] = getattr(importlib.import_module(module), function)(**arguments)
    return cases


def time_runs(run: Callable[[], object], loops: int) -> float:
    """CPU time of all loops: on a shared machine other processes' time is none of a contestant's.

    The garbage collector runs as users have it, with the SDK's objects to look through; it begins with nothing to do.
    """
    for _ in range(min(WARM, loops)):
        run()
    gc.collect()
    start = time.process_time()
    for _ in range(loops):
        run()
    return time.process_time() - start


def calibrate(run: Callable[[], object], least_seconds: float) -> int:
    """How many loops take so many seconds; at least one."""
    loops = 1
    while (took := time_runs(run, loops)) < least_seconds / 2:
        loops = max(loops * 2, min(loops * 100, int(loops * least_seconds / max(took, 1e-7))))
    return max(1, round(loops * least_seconds / took)) if took > least_seconds else loops


def list_versions(names: list[str]) -> dict[str, str]:
    """Return what is installed here."""
    versions = {"python": platform.python_version()}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


class Worker:
    """The cases that were loaded, and the answers."""

    def __init__(self) -> None:
        self._cases: list[Case] = []

    def answer(self, request: dict[str, Any]) -> Any:
        """Return the answer to a line."""
        match request:
            case {"load": str(target)}:
                cases = load(target, request.get("with", {}))
                self._cases += cases
                return [[case.section, case.value, case.contestant] for case in cases]
            case {"check": int(number)}:
                case = self._cases[number]
                case.check(case.run())
                return True
            case {"calibrate": int(number), "seconds": float(seconds)}:
                return calibrate(self._cases[number].run, seconds)
            case {"time": int(number), "loops": int(loops)}:
                return time_runs(self._cases[number].run, loops) / loops
            case {"memory": int(number)}:
                return measure_call(self._cases[number].run)
            case {"growth": int(number), "calls": int(calls)}:
                return measure_growth(self._cases[number].run, calls)
            case {"versions": [*names]}:
                return list_versions(names)
            case _:
                raise ValueError(f"what is asked is not known: {request}")


def main() -> None:
    """Answer until the input ends; what the SDKs print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        try:
            answer = {"answer": worker.answer(json.loads(line))}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
