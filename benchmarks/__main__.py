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

SECTIONS = (
    *("wire", "objects", "checks", "clients", "stages", "memory"),
    *("servers", "imports", "builds", "commands", "growth"),
)
ROUNDS, QUICK_ROUNDS = 11, 2
BUILD_ROUNDS = 3
"""A build takes seconds, and is steady."""


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line says."""
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
        help=f"an interpreter for {', '.join(environment.name for environment in ENVIRONMENTS)} (default: one is made)",
    )
    return parser.parse_args(arguments)


def find_interpreters(named: Iterable[str]) -> dict[str, Path]:
    """Return the interpreter of each environment, of those that are given, else its own."""
    chosen = dict(pair.split("=", 1) for pair in named)
    interpreters = {
        environment.name: Path(chosen.pop(environment.name))
        for environment in ENVIRONMENTS
        if environment.name in chosen
    }
    if chosen:
        raise SystemExit(f"there is no environment {', '.join(chosen)}")
    return {
        environment.name: interpreters.get(environment.name) or environments.find_interpreter(environment)
        for environment in ENVIRONMENTS
    }


def describe_machine() -> dict[str, Any]:
    """Return what the run was made on."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text("utf-8").splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {"system": platform.platform(), "processor": model, "cores": os.cpu_count()}


def ask_versions(environment: Environment, worker: Worker) -> dict[str, str]:
    """Return what is installed in an environment."""
    installed: dict[str, str] = worker.ask(versions=[*environment.reported, *environments.SHARED])
    return installed


def measure(options: argparse.Namespace) -> tuple[list[Figure], dict[str, Any]]:
    """Return the figures of all chosen sections, and the facts about the run."""
    count: int = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    figures: list[Figure] = []
    facts: dict[str, Any] = {"machine": describe_machine(), "versions": {}, "rounds": count, "quick": options.quick}
    if {*rounds.HEADINGS, "memory", "servers"} & {*options.only}:
        interpreters = find_interpreters(options.environment)
        environments.build_packages([sdk for environment in ENVIRONMENTS for sdk in environment.sdks])
        with ExitStack() as stack:
            running = stack.enter_context(environments.start_workers(interpreters))
            facts["versions"] = {
                environment.name: ask_versions(environment, running[environment.name]) for environment in ENVIRONMENTS
            }
            handles = rounds.load(running) if {*rounds.HEADINGS, "memory"} & {*options.only} else []
            if chosen := rounds.choose_cases(handles, options.only):
                seconds = rounds.QUICK_SECONDS if options.quick else rounds.SECONDS
                figures += rounds.interleave_rounds(chosen, count, seconds)
            if "memory" in options.only:
                from benchmarks import memory

                figures += memory.measure(handles, options.quick)
        if "servers" in options.only:
            from benchmarks import servers

            figures += servers.measure(interpreters, count, options.quick)
    return figures + _measure_modules(options.only, count, options.quick), facts


def _measure_modules(only: Sequence[str], count: int, quick: bool) -> list[Figure]:
    """Return what is measured without the SDKs' environments."""
    figures: list[Figure] = []
    if "imports" in only:
        from benchmarks import imports

        figures += imports.measure(count, quick)
    if "builds" in only:
        from benchmarks import builds

        figures += builds.measure(1 if quick else min(count, BUILD_ROUNDS), quick)
    if "commands" in only:
        from benchmarks import commands

        figures += commands.measure(1 if quick else min(count, BUILD_ROUNDS), quick)
    if "growth" in only:
        from benchmarks import growth

        figures += growth.measure(count, quick)
    return figures


def list_goals(only: Sequence[str]) -> list[Goal]:
    """Return the goals that are about the chosen sections."""
    all_goals = [*goals.list_conversion_goals(), *goals.list_server_goals()]
    if "imports" in only:
        all_goals += goals.list_import_goals()
    if "builds" in only:
        all_goals += goals.list_build_goals()
    if "commands" in only:
        all_goals += goals.list_command_goals()
    return all_goals


def format_facts(facts: dict[str, Any]) -> str:
    """Return the facts about a run as lines of text."""
    host = facts["machine"]
    lines = [f"{host['processor']}, {host['cores']} cores, {host['system']}; {facts['rounds']} rounds"]
    for name, installed in facts["versions"].items():
        lines.append(f"{name}: {', '.join(f'{package} {version}' for package, version in installed.items())}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and say so."""
    chosen, start = parse_options(arguments), time.monotonic()
    figures, facts = measure(chosen)
    facts["seconds"] = round(time.monotonic() - start)
    outcomes = goals.judge_goals(list_goals(chosen.only), figures)
    print(format_facts(facts))
    print("Medians of interleaved rounds, and half the distance of the quartiles.\n")
    print(table.render_text(figures))
    if outcomes:
        print(f"\n== speed, as ratios of this run\n{table.render_outcomes(outcomes)}")
    if behind := [outcome for outcome in goals.judge_goals(goals.list_ahead_goals(), figures) if not outcome.met]:
        print(f"\n== where another way is faster\n{table.render_outcomes(behind)}")
    if chosen.markdown:
        print(f"\n{table.render_readme(figures)}")
    if chosen.json:
        chosen.json.write_text(json.dumps(table.make_document(figures, outcomes, facts), indent=1) + "\n", "utf-8")
    if chosen.plots:
        from benchmarks import plots

        plots.write(figures, chosen.plots)
    print(f"{facts['seconds']} s", file=sys.stderr)


if __name__ == "__main__":
    main()
