"""Build every file of ../shared/corpus/tools, type-check the packages, hold them against the instances; one table."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import corpus


def main() -> int:
    """Run; the exit code says whether there was any problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", default=corpus.SOURCES)
    parser.add_argument("--sdk", default="none")
    parser.add_argument("--no-check", action="store_true", help="leave mypy and pyright out")
    options = parser.parse_args()
    totals = corpus.Counts()
    for source in options.sources:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            start = time.perf_counter()
            run = corpus.build(source, folder, options.sdk)
            took = time.perf_counter() - start
            if run.returncode:
                totals.problems.append(f"{source}: exit code {run.returncode}")
                print(f"{source}: exit code {run.returncode}\n{run.stderr[-3000:]}")
                continue
            counts = corpus.hold(source, corpus.load(folder))
            if not options.no_check:
                counts.problems += corpus.checked(folder)
        print(
            f"{source:40} {counts.tools:4} tools {took:6.1f} s  valid {counts.valid:5}  "
            f"format only {counts.format_only:4}  invalid {counts.invalid:5}  problems {len(counts.problems)}",
            flush=True,
        )
        for problem in counts.problems[:20]:
            print("   ", problem)
        totals.tools += counts.tools
        totals.valid += counts.valid
        totals.format_only += counts.format_only
        totals.invalid += counts.invalid
        totals.problems += counts.problems
    print(
        f"{len(options.sources)} files, {totals.tools} tools: valid {totals.valid}, format only {totals.format_only}, "
        f"invalid {totals.invalid}, problems {len(totals.problems)}"
    )
    return bool(totals.problems)


if __name__ == "__main__":
    sys.exit(main())
