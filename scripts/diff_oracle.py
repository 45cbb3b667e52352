"""Holds `diff`'s word on pairs of schemas against jsonschema-rs: random pairs, and real schemas that are changed.

Where it says that every value of one schema is a value of the other, no drawn value may say otherwise; of the changes
to real schemas it is known whether they widen the schema.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

from support.corpus import SOURCES
from support.diff_oracle import Tally, corpus_pairs, random_pair

BATCH = 25


def work(job: tuple[str, int, int]) -> Tally:
    """Some random pairs, or the changed schemas of a file of the corpus."""
    source, start, draws = job
    if source:
        return corpus_pairs(source, start, draws)
    tally = Tally()
    for seed in range(start, start + BATCH):
        random_pair(seed, draws, tally)
    return tally


def main() -> int:
    """Run and print the counts; the exit code says whether `diff` was wrong anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500, help="random pairs")
    parser.add_argument("--draws", type=int, default=300, help="values drawn for each pair")
    parser.add_argument("--changes", type=int, default=10, help="changes to each real schema")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    failed = False
    jobs = [("", options.seed + at, options.draws) for at in range(0, options.count, BATCH)]
    for name, todo in (
        ("random", jobs),
        ("corpus", [(source, options.changes, options.draws // 10) for source in SOURCES]),
    ):
        start, total = time.perf_counter(), Tally()
        with Pool(options.jobs) as pool:
            for tally in pool.imap_unordered(work, todo):
                total.add(tally)
        for wrong in total.wrong:
            print(json.dumps(wrong), flush=True)
        counts = ", ".join(f"{verdict} {count}" for verdict, count in sorted(total.counts.items()))
        print(f"{name}: {counts}; wrong {len(total.wrong)}; {time.perf_counter() - start:.0f} s", flush=True)
        failed |= bool(total.wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
