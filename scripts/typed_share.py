"""Print the share of declared properties in ../shared/corpus that are typed fields, and the others with reasons."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import corpus, typed_share


def main() -> int:
    """Run; the exit code says whether every package was built."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", default=corpus.SOURCES)
    parser.add_argument("--all", action="store_true", help="print every property that is not a typed field")
    options = parser.parse_args()
    total, failures = typed_share.Share(), 0
    for source in options.sources:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run = corpus.build(source, folder)
            if run.returncode:
                failures += 1
                print(f"{source}: exit code {run.returncode}\n{run.stderr[-3000:]}")
                continue
            share = typed_share.measure_package(corpus.load(folder))
        if share.untyped:
            print(f"{source:40} {share.declared:6} declared  {len(share.untyped):5} untyped  {share.percentage:.3f} %")
        total.add(share, f"{source} ")
    if options.all:
        for pointer, reason in total.untyped.items():
            print(f"{pointer}: {reason}")
    for reason, count in total.count_reasons().most_common():
        print(f"{count:6} {reason}")
    print(
        f"{total.declared} declared properties, {len(total.untyped)} untyped: {total.percentage:.3f} % are typed fields"
    )
    return failures


if __name__ == "__main__":
    sys.exit(main())
