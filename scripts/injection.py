"""Each hostile text in each place of a definition that takes text, built, checked and used; a line for each place."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

from support.injection import cases as injection
from support.injection import run as injection_run


def main() -> int:
    """Run; an argument takes every nth pair of place and text only. The exit code says whether anything was wrong."""
    part = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    todo = [*list(injection.cases())[::part], *injection.mixtures(500 // part, part)]
    with tempfile.TemporaryDirectory() as name:
        report = injection_run.run(todo, Path(name))
    for position in (*injection.POSITIONS, "mixture"):
        print(f"{position:35} built {report.built[position]:4}  refused {report.refused[position]:4}")
    codes = ", ".join(f"{code} {count}" for code, count in sorted(report.codes.items()))
    print(f"{sum(report.built.values())} definitions built, {report.schemas} schemas; refused: {codes}")
    for problem in report.problems:
        print("   ", problem)
    return bool(report.problems)


if __name__ == "__main__":
    sys.exit(main())
