"""Counts the bytecode instructions of builds of 20 made-up tools, imports included; `benchmarks.count` compares them.

Each build is a process of its own with one job and fixed hashes, so that the counts are the same in every run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.made import add_tool, change, make

TOOLS = 20
COLD, CHANGED, ADDED, FIRST, SAME = (
    f"build of {TOOLS} tools, {what}"
    for what in ("cold", "one change", "one more tool", "nothing to do after a build", "nothing to do")
)
ROOT = Path(__file__).resolve().parents[1]
COUNT = """
import sys
from benchmarks.count import count_instructions

def build():
    from mcpgen.__main__ import run
    sys.argv[1:] = ["build", "--quiet", "--jobs", "1", "--cache-dir", "../cache"]
    try:
        run()
    except SystemExit as error:
        if error.code:
            raise

print(count_instructions(build))
"""


def count_builds() -> dict[str, dict[str, int]]:
    """Return the counts of a cold build, of two with nothing to do, and of one after each of two changes.

    Raises:
        subprocess.CalledProcessError: a build failed.
    """
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name) / "project"
        make(folder, TOOLS)
        _count_build(folder)  # whose imports write compiled modules, and whose cache is of another folder's files
        fresh = Path(name) / "fresh" / "project"
        make(fresh, TOOLS)
        counts = {COLD: _count_build(fresh)}
        counts |= {FIRST: _count_build(fresh), SAME: _count_build(fresh)}
        change(fresh, "Changed.")
        counts[CHANGED] = _count_build(fresh)
        add_tool(fresh, TOOLS)
        counts[ADDED] = _count_build(fresh)
    return {build: {"instructions": count} for build, count in counts.items()}


def _count_build(folder: Path) -> int:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", COUNT], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return int(run.stdout)
