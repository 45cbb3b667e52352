"""Run the command line: `python -m mcpgen`, and the console script."""

from __future__ import annotations

import gc

MAX_UNCHECKED_OBJECTS = 50_000
"""New objects after which Python looks for circles among them. Most objects of a run live until it ends."""


def run() -> None:
    """Run the command line, as the console script does."""
    gc.set_threshold(MAX_UNCHECKED_OBJECTS)
    from mcpgen import cli  # which imports the libraries, with so many objects that collecting is a fifth of the time
    from mcpgen.report.streams import end_without_reader, is_reader_gone, prepare_streams

    prepare_streams()
    try:
        cli.run()
    except OSError as error:
        if not is_reader_gone(error):
            raise
        end_without_reader()


if __name__ == "__main__":
    run()
