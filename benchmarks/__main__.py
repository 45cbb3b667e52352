"""`python -m benchmarks`: everything measured in one run, as one set of tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import environments, goals, rounds, table
from benchmarks.environments import ENVIRONMENTS, Environment, Worker
from benchmarks.figures import Figure
from benchmarks.goals import Goal

SECTIONS = ("wire", "objects", "servers", "imports", "builds", "growth")
ROUNDS, QUICK_ROUNDS = 11, 2
BUILD_ROUNDS = 3
"""A build takes seconds, and is steady."""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="sections to measure")
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rounds, small numbers")
    parser.add_argument("--rounds", type=int, help=f"rounds over all cases (default: {ROUNDS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, versions and the machine there")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="write plots (SVG) there")
    parser.add_argument("--markdown", action="store_true", help="also print the README's form of the main table")
    parser.add_argument(
        "--environment",
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        help=f"an interpreter to use for {', '.join(one.name for one in ENVIRONMENTS)} (default: one is made)",
    )
    return parser.parse_args(arguments)


def pythons(named: Iterable[str]) -> dict[str, Path]:
    """The interpreter of each environment, of those that are given, else its own."""
    given = dict(one.split("=", 1) for one in named)
    found = {one.name: Path(given.pop(one.name)) for one in ENVIRONMENTS if one.name in given}
    if given:
        raise SystemExit(f"there is no environment {', '.join(given)}")
    return {one.name: found.get(one.name) or environments.interpreter(one) for one in ENVIRONMENTS}


def machine() -> dict[str, Any]:
    """What the run was made on."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text("utf-8").splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {"system": platform.platform(), "processor": model, "cores": os.cpu_count()}


def versions(environment: Environment, worker: Worker) -> dict[str, str]:
    """What is installed in an environment."""
    found: dict[str, str] = worker.ask(versions=[*environment.reported, *environments.SHARED])
    return found


def measure(asked: argparse.Namespace) -> tuple[list[Figure], dict[str, Any]]:
    """The figures of all chosen sections, and the facts about the run."""
    count: int = asked.rounds or (QUICK_ROUNDS if asked.quick else ROUNDS)
    figures: list[Figure] = []
    facts: dict[str, Any] = {"machine": machine(), "versions": {}, "rounds": count, "quick": asked.quick}
    if {"wire", "objects", "servers"} & {*asked.only}:
        interpreters = pythons(asked.environment)
        environments.build_packages([sdk for one in ENVIRONMENTS for sdk in one.sdks])
        with ExitStack() as stack:
            running = stack.enter_context(environments.workers(interpreters))
            facts["versions"] = {one.name: versions(one, running[one.name]) for one in ENVIRONMENTS}
            if {"wire", "objects"} & {*asked.only}:
                handles = rounds.chosen(rounds.load(running), asked.only)
                seconds = rounds.QUICK_SECONDS if asked.quick else rounds.SECONDS
                figures += rounds.interleaved(handles, count, seconds)
        if "servers" in asked.only:
            from benchmarks import servers

            figures += servers.measure(interpreters, count, asked.quick)
    return figures + _of_modules(asked.only, count, asked.quick), facts


def _of_modules(only: Sequence[str], count: int, quick: bool) -> list[Figure]:
    """What is measured without the SDKs' environments."""
    figures: list[Figure] = []
    if "imports" in only:
        from benchmarks import imports

        figures += imports.measure(count, quick)
    if "builds" in only:
        from benchmarks import builds

        figures += builds.measure(1 if quick else min(count, BUILD_ROUNDS), quick)
    if "growth" in only:
        from benchmarks import growth

        figures += growth.measure(count, quick)
    return figures


def wanted(only: Sequence[str]) -> list[Goal]:
    """The goals that are about the chosen sections."""
    found = [*goals.conversions(), *goals.servers()]
    if "imports" in only:
        found += goals.imports()
    if "builds" in only:
        found += goals.builds()
    return found


def told(facts: dict[str, Any]) -> str:
    """The facts about a run as lines of text."""
    host = facts["machine"]
    lines = [f"{host['processor']}, {host['cores']} cores, {host['system']}; {facts['rounds']} rounds"]
    for name, found in facts["versions"].items():
        lines.append(f"{name}: {', '.join(f'{what} {version}' for what, version in found.items())}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and say so."""
    asked, start = options(arguments), time.monotonic()
    figures, facts = measure(asked)
    facts["seconds"] = round(time.monotonic() - start)
    found = goals.judged(wanted(asked.only), figures)
    print(told(facts))
    print("Medians of interleaved rounds, and half the distance of the quartiles.\n")
    print(table.text(figures))
    if found:
        print(f"\n== speed, as ratios of this run\n{table.outcomes(found)}")
    if behind := [one for one in goals.judged(goals.ahead(), figures) if not one.met]:
        print(f"\n== where another way is faster\n{table.outcomes(behind)}")
    if asked.markdown:
        print(f"\n{table.readme(figures)}")
    if asked.json:
        asked.json.write_text(json.dumps(table.document(figures, found, facts), indent=1) + "\n", "utf-8")
    if asked.plots:
        from benchmarks import plots

        plots.write(figures, asked.plots)
    print(f"{facts['seconds']} s", file=sys.stderr)


if __name__ == "__main__":
    main()
