"""Run the command line: `python -m mcpgen`, and the console script."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys

MAX_UNCHECKED_OBJECTS = 5_000_000
"""New objects after which Python looks for circles among them. Most objects of a run live until it ends."""


def run() -> None:
    """Run the command line, as the console script does."""
    from mcpgen.cache.recorded_runs import repeat_run

    prepare_streams()
    try:
        if not repeat_run(sys.argv[1:]):
            gc.set_threshold(MAX_UNCHECKED_OBJECTS)
            atexit.register(gc.freeze)  # Python would look for circles among all of them at its end, too
            from mcpgen import cli  # with so many libraries that collecting garbage is a fifth of the time

            cli.run()
    except OSError as error:
        if not is_reader_gone(error):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would complain about unwritten output
        sys.exit(130)


def prepare_streams() -> None:
    """Let output be UTF-8 with `\\n` on Windows, too, so that patches apply there; PYTHONIOENCODING still decides."""
    if sys.platform != "win32":
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            encoding = None if os.environ.get("PYTHONIOENCODING") else "utf-8"
            stream.reconfigure(encoding=encoding, newline="\n")


def is_reader_gone(error: OSError) -> bool:
    """Check whether output failed because nobody reads it any more: Windows says that an argument is invalid."""
    is_invalid = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or is_invalid


if __name__ == "__main__":
    run()
