"""Run the command line: `python -m mcpgen`, and the console script."""

from __future__ import annotations

import gc
import sys

MAX_UNCHECKED_OBJECTS = 5_000_000
"""New objects after which Python looks for circles among them. Most objects of a run live until it ends."""


def run() -> None:
    """Run the command line, as the console script does."""
    from mcpgen.cache.recorded_runs import repeat_run
    from mcpgen.report.streams import end_without_reader, is_reader_gone, prepare_streams

    prepare_streams()
    try:
        if not repeat_run(sys.argv[1:]):
            gc.set_threshold(MAX_UNCHECKED_OBJECTS)
            from mcpgen import cli  # with so many libraries that collecting garbage is a fifth of the time

            cli.run()
    except OSError as error:
        if not is_reader_gone(error):
            raise
        end_without_reader()


if __name__ == "__main__":
    run()
