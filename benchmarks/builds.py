"""Time and memory of `mcpgen build` over made-up tools, beside datamodel-code-generator over the same schemas.

`python -m benchmarks.builds 1000` prints the figures for a number of tools; `--watch` adds the time from a save to the
changed module.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.made import add_property, add_tool, change, make

TIME, PROCESSOR, MEMORY = "build, time", "build, processor time of all processes", "build, peak memory of all processes"
SIZES, MOST, QUICK = (1, 300, 1000), 10_000, (1, 100)
COLD, CHANGED, SAME = "mcpgen, cold", "mcpgen, one change", "mcpgen, nothing to do"
PROPERTY, ADDED, REMOVED = "mcpgen, one more property", "mcpgen, one more tool", "mcpgen, one tool less"
SHARING = "mcpgen, one more tool with a class of others"
FIRST = "mcpgen, nothing to do, right after a build"
IMPORTS = "the imports of mcpgen and its libraries"
IMPORT = "import mcpgen.app, mcpgen.cli, black, datamodel_code_generator, jinja2, jsonschema_rs, pydantic"
NEW_TOOL = 100_000
"""Number of the first tool that is added to those that were made."""
WATCH, WATCH_ADDED, WATCH_REMOVED = (
    f"watch, from a save to {what}" for what in ("the changed module", "a new tool's module", "a removed tool's end")
)
OTHERS = {"datamodel-code-generator": [], "datamodel-code-generator, black": ["--black"]}
"""Contestants, and what they are asked for."""
GENERATE = """
import json, pathlib, sys
from datamodel_code_generator import DataModelType, GenerateConfig, InputFileType, generate
from datamodel_code_generator.format import Formatter
formatters = [Formatter.BLACK, Formatter.ISORT] if "--black" in sys.argv else []
options = GenerateConfig(
    input_file_type=InputFileType.JsonSchema,
    output_model_type=DataModelType.PydanticV2BaseModel,
    formatters=formatters,
)
for path in sorted(pathlib.Path("generated/tools").glob("*.json")):
    tool = json.loads(path.read_bytes())["tool"]
    for schema in (tool["inputSchema"], tool.get("outputSchema")):
        if schema is not None:
            generate(schema, config=options)
"""


@dataclass(frozen=True)
class Run:
    """What a run took: wall clock, processor time, and the peak of the memory of all its processes together."""

    seconds: float
    processor: float
    mib: float


def measure(rounds: int, quick: bool) -> list[Figure]:
    """Cold, one change, nothing to do, for some numbers of tools; the largest number once, and not when `quick`."""
    figures = [figure for count in (QUICK if quick else SIZES) for figure in measure_size(count, rounds)]
    figures += measure_watch(QUICK[0] if quick else SIZES[-1], rounds)
    return figures if quick else [*figures, *measure_size(MOST, 1, with_types=False)]


def measure_size(count: int, rounds: int, jobs: int | None = None, with_types: bool = True) -> list[Figure]:
    """Return the figures of a number of tools, each contestant's rounds between the others'.

    Args:
        count: how many tools.
        rounds: runs of each.
        jobs: mcpgen's processes; None: as many as there are processors.
        others: whether datamodel-code-generator runs, too.
    """
    mcpgen = [sys.executable, "-m", "mcpgen", "build", "-q", "--cache-dir", "../cache"]
    mcpgen += ["--jobs", str(jobs or os.cpu_count() or 1)]
    runs: dict[str, list[Run]] = {}

    def add(contestant: str, command: Sequence[str], folder: Path) -> None:
        runs.setdefault(contestant, []).append(run(command, folder))

    with write_project(count) as folder:
        for number in range(rounds):
            for old in (folder / "generated", folder.parent / "cache"):
                shutil.rmtree(old, ignore_errors=True)
            add(COLD, mcpgen, folder)
            add(IMPORTS, [sys.executable, "-c", IMPORT], folder)
            if count == 1:  # there is no other tool to change
                continue
            add(FIRST, mcpgen, folder)
            add(SAME, mcpgen, folder)
            change(folder, f"Changed for the {number}th time.")
            add(CHANGED, mcpgen, folder)
            add_property(folder, f"added_{number}")
            add(PROPERTY, mcpgen, folder)
            new_file = add_tool(folder, NEW_TOOL + number)
            add(ADDED, mcpgen, folder)
            new_file.unlink()
            add(REMOVED, mcpgen, folder)
            add_tool(folder, NEW_TOOL + number, is_sharing=True)
            add(SHARING, mcpgen, folder)
            for name, options in OTHERS.items() if with_types else ():
                add(name, [sys.executable, "-W", "ignore", "-c", GENERATE, *options], folder)
    return list(_make_figures(f"{count:,} tools", runs))


def _make_figures(value: str, runs: dict[str, list[Run]]) -> Iterator[Figure]:
    for section, unit in ((TIME, "s"), (PROCESSOR, "s"), (MEMORY, "MiB")):
        for name, samples in runs.items():
            measured_values = {
                TIME: [sample.seconds for sample in samples],
                PROCESSOR: [sample.processor for sample in samples],
            }
            yield Figure.of(
                section, value, name, unit, measured_values.get(section, [sample.mib for sample in samples])
            )


@contextmanager
def write_project(count: int) -> Iterator[Path]:
    """A folder with made-up tools, in a folder of its own, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name) / "project"
        make(folder, count)
        yield folder


def run(command: Sequence[str], folder: Path, exit_codes: Sequence[int] = (0,)) -> Run:
    """Run a command in a folder, with the bytecode of its modules written and read, as for every user.

    Raises:
        RuntimeError: it ended with another exit code than these.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times_before, start = os.times(), time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, measure_memory(process.pid))
        time.sleep(min(0.5, max(0.005, (time.perf_counter() - start) / 50)))  # looking costs time, too
    seconds, times_after = time.perf_counter() - start, os.times()
    if process.returncode not in exit_codes:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}")
    processor = (
        times_after.children_user
        + times_after.children_system
        - times_before.children_user
        - times_before.children_system
    )
    return Run(seconds, processor, peak / 2**20)


def measure_memory(pid: int) -> float:
    """Return the bytes of a process and its children, what they share counted once (Linux; 0 elsewhere)."""
    total = 0.0
    for process in (pid, *list_children(pid)):
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total


def list_children(pid: int) -> list[int]:
    """Return the child processes of a process."""
    try:
        children_ids = [
            text for path in Path(f"/proc/{pid}/task").glob("*/children") for text in path.read_text().split()
        ]
    except OSError:
        return []
    return [int(text) for text in children_ids]


def measure_latencies(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds from the moment when a definition was saved to the moment when its module is there."""
    command = [sys.executable, "-m", "mcpgen", "watch", "--cache-dir", "../cache"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    latencies: dict[str, list[float]] = {}
    modules = folder / "generated" / "tools"

    def wait(name: str, module: Path, text: str | None) -> None:
        start = time.perf_counter()
        while not _is_as_wanted(module, text):
            time.sleep(0.001)
        latencies.setdefault(name, []).append(time.perf_counter() - start)
        time.sleep(1)

    try:
        while "watching" not in process.stderr.readline():
            pass
        threading.Thread(target=process.stderr.read, daemon=True).start()
        time.sleep(2)
        for number in range(rounds):
            text = f"Saved for the {number}th time."
            wait(WATCH, modules / f"{change(folder, text).stem}.py", text)
            new_file = add_tool(folder, NEW_TOOL + number)
            wait(WATCH_ADDED, modules / f"{new_file.stem}.py", "")
            new_file.unlink()
            wait(WATCH_REMOVED, modules / f"{new_file.stem}.py", None)
    finally:
        process.kill()
        process.wait()
    return latencies


def _is_as_wanted(module: Path, text: str | None) -> bool:
    """Check whether a module contains a text; with None, whether it is gone."""
    try:
        found = module.read_text("utf-8")
    except FileNotFoundError:
        return text is None
    return text is not None and text in found


def measure_watch(count: int, rounds: int) -> list[Figure]:
    """Return the latencies of `watch` for a number of tools."""
    with write_project(count) as folder:
        latencies = measure_latencies(folder, rounds)
    return [Figure.of(name, f"{count:,} tools", "mcpgen", "s", samples) for name, samples in latencies.items()]


def main() -> None:
    """Measure, and print a line for each figure as soon as a number of tools is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds", description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 10_000], help="numbers of tools")
    parser.add_argument("--jobs", type=int, help="mcpgen's processes; as many as there are processors")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each")
    parser.add_argument("--others", action="store_true", help="datamodel-code-generator, too")
    parser.add_argument("--watch", action="store_true", help="also from a save to the changed file under `watch`")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args()
    figures: list[Figure] = []
    for count in options.counts:
        measured_figures = measure_size(count, options.rounds, options.jobs, options.others)
        measured_figures += measure_watch(count, 2 * options.rounds + 1) if options.watch else []
        for figure in measured_figures:
            spread = f"({figure.low:.2f} to {figure.high:.2f}, {figure.rounds} rounds)"
            print(
                f"{figure.value:>13}  {figure.section:40} {figure.contestant:34} "
                f"{figure.median:9.2f} {figure.unit:4} {spread}"
            )
        sys.stdout.flush()
        figures += measured_figures
    if options.json:
        options.json.write_text(json.dumps({"figures": [vars(figure) for figure in figures]}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
