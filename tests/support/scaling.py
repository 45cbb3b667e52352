"""What a build of some files costs, in a process of its own; as a program, a table of all axes of `scaling_shapes`."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support.command_server import get_server
from support.scaling_shapes import AXES, Files

MEMORY = 4 * 2**30
"""Bytes of address space for a build."""
BUILD = ("build", "schemas", "--out", "made", "--jobs", "1")


@dataclass(frozen=True)
class Cost:
    """How a build ended (negative: by a signal), its CPU seconds, what it said, and how large its input was."""

    code: int
    seconds: float
    said: str
    size: int


def write_files(files: Files, folder: Path) -> int:
    """Write the files below a folder; the bytes they have together."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return sum(len(text.encode()) for text in files.values())


def measure(files: Files, folder: Path, seconds: int = 60, command: tuple[str, ...] = BUILD) -> Cost:
    """Run mcpgen over some files in a folder, with at most so many CPU seconds."""
    size = write_files(files, folder)

    environment = {**os.environ, "MCPGEN_CACHE_DIR": ""}
    limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: MEMORY}
    finished = get_server().run([*command], folder, environment, 20 * seconds, limits)
    run = finished.process
    return Cost(run.returncode, finished.seconds, (run.stdout + run.stderr).decode("utf-8"), size)


def main(names: list[str]) -> None:
    """Print, for each axis, the CPU seconds and exit codes at n, 2n and 4n."""
    for name in names or [*AXES]:
        axis = AXES[name]
        cells: list[str] = []
        costs: list[Cost] = []
        for times in (1, 2, 4):
            with tempfile.TemporaryDirectory() as folder:
                cost = measure(axis.make(axis.size * times), Path(folder), 25)
            costs.append(cost)
            cells.append(f"{cost.seconds:7.2f} s ({cost.code})")
            if cost.code < 0:
                break
        last = costs[-1].said.strip().split("\n")[-1][:100] if costs[-1].code else ""
        print(f"{name:28} {axis.size:7}  {'  '.join(cells)}  {last}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
