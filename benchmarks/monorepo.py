"""Time of a monorepo's build under Ninja, by the number of jobs.

`python -m benchmarks.monorepo` writes 50 packages of 200 made-up tools, with rules as in docs/guides/monorepo.md. For
each number of jobs it prints the seconds of a build of everything, of one that has nothing to do, and after a change.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.made import change, make

RULES = """\
rule mcpgen
  command = mcpgen build --config $in --out $package --depfile $package.d --no-cache --jobs 1 --quiet && touch $out
  depfile = $package.d
"""


def write_packages(folder: Path, packages: int, tools: int) -> list[Path]:
    """Write packages of made-up tools and the rules to build them; return the packages' folders."""
    folders = [folder / f"package{number:02}" for number in range(packages)]
    rules = [RULES]
    for number, package in enumerate(folders):
        make(package, tools, seed=number)
        rules.append(f"build {package.name}/mcp_gen/__init__.py: mcpgen {package.name}/mcpgen.toml\n")
        rules.append(f"  package = {package.name}/mcp_gen\n")
    (folder / "build.ninja").write_text("".join(rules), "utf-8")
    return folders


def build(folder: Path, jobs: int) -> tuple[float, int]:
    """Return the seconds of a build, and how many packages it built.

    Raises:
        RuntimeError: it failed.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    start = time.perf_counter()
    command = ["ninja", "-v", f"-j{jobs}"]
    run = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stdout + run.stderr)
    return time.perf_counter() - start, run.stdout.count("mcpgen build")


def main() -> None:
    """Measure, and print a line for each number of jobs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.monorepo", description=__doc__)
    parser.add_argument("--packages", type=int, default=50)
    parser.add_argument("--tools", type=int, default=200, help="tools of each package")
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name)
        packages = write_packages(folder, options.packages, options.tools)
        for jobs in options.jobs:
            for package in packages:
                shutil.rmtree(package / "mcp_gen", ignore_errors=True)
            results = [build(folder, jobs), build(folder, jobs)]
            time.sleep(0.1)
            change(packages[0], f"Changed before the build with {jobs} jobs.")
            results.append(build(folder, jobs))
            described = ", ".join(f"{seconds:.2f} s for {count} packages" for seconds, count in results)
            print(f"{jobs} jobs: {described}", flush=True)


if __name__ == "__main__":
    main()
