"""Kill builds at random moments, 500 times unless told otherwise, edit in between, and build again each time."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

from support import crash


def main() -> int:
    """Run and print the counts."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = time.time_ns()
    with tempfile.TemporaryDirectory() as name:
        os.environ["MCPGEN_STATE_DIR"] = str(Path(name) / "state")
        counts = crash.kill_builds(Path(name), times, seed)
    print(f"{times} kills (seed {seed}): {dict(counts)}")
    print("after each, what the user wrote was kept, and the package was whole after the following build")
    return 0


if __name__ == "__main__":
    sys.exit(main())
