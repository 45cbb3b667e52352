"""Locks for systems that cannot lock a folder: a locked file in the user's state folder."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcpgen.files.journal import find_state_folder
from mcpgen.files.private_folders import prepare_folder

try:
    import msvcrt as _msvcrt
except ImportError:  # every system but Windows
    _msvcrt = None  # type: ignore[assignment]

windows_locks: Any = _msvcrt
"""The module that locks bytes of files on Windows; None elsewhere."""
RETRY_SECONDS = 0.05


@contextmanager
def lock_by_file(out: Path) -> Generator[None]:
    """Lock an output folder by a file that stands for it, until the block ends; the system unlocks it at a crash.

    Without a state folder there is no lock.
    """
    folder = find_state_folder()
    if windows_locks is None or folder is None or not prepare_folder(folder):
        yield
        return
    handle = os.open(folder / _make_lock_name(out), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for_lock(handle)
        try:
            yield
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
            windows_locks.locking(handle, windows_locks.LK_UNLCK, 1)
    finally:
        os.close(handle)


def _make_lock_name(out: Path) -> str:
    """Return the name of the file for a folder, whichever way the folder is written."""
    place = os.path.normcase(os.path.realpath(out))
    return f"lock-{hashlib.sha256(os.fsencode(place)).hexdigest()}"


def _wait_for_lock(handle: int) -> None:
    """Wait for the first byte of a file. `LK_LOCK` would give up after ten seconds."""
    while True:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            windows_locks.locking(handle, windows_locks.LK_NBLCK, 1)
        except OSError:
            time.sleep(RETRY_SECONDS)
        else:
            return
