"""Random schemas, 20,000 unless told otherwise, each class checked against jsonschema-rs; two processes."""

from __future__ import annotations

import argparse
import json
import sys
import time
from multiprocessing import Pool
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.holding import Counts, hold
from support.random_schemas import batch

BATCH = 20


def work(job: tuple[int, int]) -> Counts:
    """Return the schemas of one package: a seed, and how many."""
    seed, size = job
    random = Random(seed)
    return hold(batch(random, DRAFT_07 if seed % 3 == 0 else DRAFT_2020_12, size), random)


def main() -> int:
    """Run and print the counts; the exit code says whether there was any disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="the first package's seed; the others follow")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    start, totals = time.perf_counter(), Counts()
    sizes = [min(BATCH, options.count - count) for count in range(0, options.count, BATCH)]
    jobs = [(options.seed + index, size) for index, size in enumerate(sizes)]
    with Pool(options.jobs, maxtasksperchild=25) as pool:  # a package's classes are never freed
        for (seed, _), counts in zip(jobs, pool.imap(work, jobs), strict=True):
            totals.add(counts)
            for disagreement in counts.disagreements:
                print(json.dumps({"seed": seed, **disagreement}), flush=True)
            if totals.schemas % (BATCH * 25) == 0:
                print(_format_line(totals, start), flush=True)
    print(_format_line(totals, start))
    return bool(totals.disagreements)


def _format_line(counts: Counts, start: float) -> str:
    return (
        f"schemas {counts.schemas}, values {counts.values}: valid {counts.valid}, invalid {counts.invalid}; "
        f"left out {counts.left_out}; constructed {counts.constructed}, not constructed {counts.refused}; "
        f"disagreements {len(counts.disagreements)}; {time.perf_counter() - start:.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
