"""Run the command line: `python -m mcpgen`, and the console script."""

from __future__ import annotations

import gc
import sys

MAX_UNCHECKED_OBJECTS = 50_000
"""New objects after which Python looks for circles among them. Most objects of a run live until it ends."""


def run() -> None:
    """Run the command line, as the console script does."""
    from mcpgen.cache.repeated_runs import repeat_run

    if repeat_run(sys.argv[1:]):
        return
    gc.set_threshold(MAX_UNCHECKED_OBJECTS)
    from mcpgen import cli  # which imports the libraries, with so many objects that collecting is a fifth of the time

    cli.run()


if __name__ == "__main__":
    run()
