"""Runs mcpgen's command line, and says at the end how much memory its process had at most, in KiB."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mcpgen.cli import run

if __name__ == "__main__":
    file = Path(sys.argv.pop(1))
    try:
        run()
    finally:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
        assert found is not None
        file.write_text(found[1])
