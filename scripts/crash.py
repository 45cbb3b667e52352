"""Kill builds at random moments, 200 times unless told otherwise, and build again each time."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

import crash


def main() -> int:
    """Run and print the counts."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = time.time_ns()
    with tempfile.TemporaryDirectory() as name:
        counts = crash.kill_builds(Path(name), times, seed)
    print(f"{times} kills (seed {seed}): {counts}; the package was whole after each following build")
    return 0


if __name__ == "__main__":
    sys.exit(main())
