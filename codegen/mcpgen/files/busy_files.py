"""Files that another program has open: Windows refuses to replace and to remove these."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

WAITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Seconds between two attempts: virus scanners and indexers let go of a new file soon."""


def replace_path(source: Path | str, target: Path | str) -> None:
    """Move a file to a path as `os.replace` does; on Windows, wait a little for other programs.

    Raises:
        OSError: the file cannot be moved.
    """
    _retry_while_busy(lambda: os.replace(source, target))


def remove_file(path: Path | str) -> None:
    """Remove a file as `os.unlink` does; on Windows, wait a little for other programs.

    Raises:
        OSError: the file cannot be removed.
    """
    _retry_while_busy(lambda: os.unlink(path))


def _retry_while_busy(operate: Callable[[], None]) -> None:
    for seconds in WAITS if sys.platform == "win32" else ():
        try:
            return operate()
        except PermissionError:
            time.sleep(seconds)
    return operate()
