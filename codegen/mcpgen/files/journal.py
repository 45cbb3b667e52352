"""Journal of a run, in the user's state folder: lets the next run clean up after one that was killed.

A run stages new contents in a folder of their own before it moves them to their places. The next run uses the journal
only to remove staged files that the killed run wrote. Everything else it plans from the files on disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.files import looks
from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder
from mcpgen.files.regular_files import read_regular

STATE_DIR_VARIABLE = "MCPGEN_STATE_DIR"
"""The environment variable that names the state folder; when it is empty, there is none."""
MAX_JOURNAL_SIZE = 64 * 2**20
"""Largest journal that is read, in bytes."""
_STAGING_NAME = re.compile(r"\.mcpgen-[0-9a-f]{32}")


@dataclass(frozen=True)
class StagedFile:
    """New content of one file. It is staged in a file whose name is its index."""

    size: int
    """Bytes."""
    digest: str
    """The SHA-256 of the bytes, in hex."""


@dataclass(frozen=True)
class UnfinishedRun:
    """Staged files that a killed run left in its output folder."""

    folder: Path
    staged: tuple[StagedFile, ...]


def make_staging_name() -> str:
    """Return an unpredictable name for the staging folder inside the output folder."""
    return f".mcpgen-{secrets.token_hex(16)}"


def is_staging_name(name: str) -> bool:
    """Return whether a name is that of a staging folder."""
    return _STAGING_NAME.fullmatch(name) is not None


def find_state_folder() -> Path | None:
    """Return the folder for journals: from the environment, else the user's; None if there is none."""
    if STATE_DIR_VARIABLE in os.environ:
        named = os.environ[STATE_DIR_VARIABLE]
        return Path(named).absolute() if named else None
    return find_user_folder("state")


def describe_state_problem() -> str:
    """Return why the state folder is not used, "" if it is used or there is none."""
    folder = find_state_folder()
    flaw = "" if folder is None else describe_flaw(folder)
    return f"the state folder {folder} is not used: it {flaw}" if flaw else ""


def begin_journal(out: Path, staging: str, staged: Sequence[StagedFile]) -> None:
    """Record what is about to be staged. If the journal cannot be written, the run continues without one."""
    journal = locate_journal(out)
    if journal is None or not prepare_folder(journal.parent):
        return
    entry = {"out": os.path.realpath(out), "staging": staging, "staged": [[file.size, file.digest] for file in staged]}
    draft = journal.with_name(f"{journal.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
            json.dump(entry, written)
            written.flush()
            os.fsync(written.fileno())
        replace_path(draft, journal)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()


def end_journal(out: Path) -> None:
    """Remove the journal of a run that has finished."""
    journal = locate_journal(out)
    if journal is not None and not describe_flaw(journal.parent):
        with contextlib.suppress(OSError):
            journal.unlink()


def find_unfinished_run(out: Path) -> UnfinishedRun | None:
    """Return what a killed run of this user left in an output folder, None if there is nothing."""
    journal = locate_journal(out)
    if journal is None or describe_flaw(journal.parent):
        return None
    try:
        entry: Any = json.loads(read_regular(journal, MAX_JOURNAL_SIZE))
        staged = tuple(StagedFile(_check_type(int, size), _check_type(str, digest)) for size, digest in entry["staged"])
        name = _check_type(str, entry["staging"])
        folder = Path(_check_type(str, entry["out"])) / name
        if entry["out"] != looks.resolve(out) or not is_staging_name(name):
            return None
        return UnfinishedRun(folder, staged) if looks.find_kind(folder, follow=False) == "folder" else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def clear_unfinished_run(run: UnfinishedRun) -> None:
    """Remove a staging folder and the files in it that the killed run wrote, completely or in part."""
    for number, file in enumerate(run.staged):
        path = run.folder / str(number)
        with contextlib.suppress(OSError):
            data = read_regular(path, file.size + 1)
            if len(data) < file.size or hashlib.sha256(data).hexdigest() == file.digest:
                path.unlink()
    with contextlib.suppress(OSError):
        run.folder.rmdir()


def locate_journal(out: Path) -> Path | None:
    """Return the journal of an output folder, None if there is no state folder."""
    folder = find_state_folder()
    if folder is None:
        return None
    return folder / f"journal-{hashlib.sha256(os.fsencode(looks.resolve(out))).hexdigest()}.json"


def _check_type(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    return value


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
