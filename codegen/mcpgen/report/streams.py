"""Standard output and standard error, where systems differ."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import NoReturn


def prepare_streams() -> None:
    """Let output be the same on Windows as elsewhere: UTF-8 with `\\n`, where it goes to a file or a program.

    So a patch of `check` applies there, too. PYTHONIOENCODING still decides where it is set.
    """
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


def end_without_reader() -> NoReturn:
    """End the process; Python would complain about output that it cannot write any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(130)
