"""What a run is about to write, noted in the user's own state folder: so the next run knows of one that was killed.

A journal directs nothing but this: new contents that the killed run left in the folder in which it staged them are
removed, where they are what it wrote. Everything else the next run plans anew, from what it finds.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder
from mcpgen.files.regular_files import read_regular

STATE_DIR_VARIABLE = "MCPGEN_STATE_DIR"
"""The environment variable that names the state folder; when it is empty, there is none."""
MAX_JOURNAL_SIZE = 64 * 2**20
"""Bytes of a journal that is read."""
_STAGING_NAME = re.compile(r"\.mcpgen-[0-9a-f]{32}")


@dataclass(frozen=True)
class StagedFile:
    """One new content: it is in a file that is called by its number."""

    size: int
    """Bytes."""
    digest: str
    """The SHA-256 of the bytes, in hex."""


@dataclass(frozen=True)
class UnfinishedRun:
    """What a killed run left in its output folder."""

    folder: Path
    staged: tuple[StagedFile, ...]


def make_staging_name() -> str:
    """A name that nobody can know beforehand, for the folder of new contents within the output folder."""
    return f".mcpgen-{secrets.token_hex(16)}"


def is_staging_name(name: str) -> bool:
    """Whether a name is one of a folder of new contents."""
    return _STAGING_NAME.fullmatch(name) is not None


def find_state_folder() -> Path | None:
    """The folder for journals: that of the environment, else the user's own; None for none."""
    if STATE_DIR_VARIABLE in os.environ:
        named = os.environ[STATE_DIR_VARIABLE]
        return Path(named).absolute() if named else None
    return find_user_folder("state")


def describe_state_problem() -> str:
    """Why the state folder is not used; empty where it is, or where there is none."""
    folder = find_state_folder()
    found = "" if folder is None else describe_flaw(folder)
    return f"the state folder {folder} is not used: it {found}" if found else ""


def begin_journal(out: Path, staging: str, staged: Sequence[StagedFile]) -> None:
    """Note what is about to be staged. Where nothing can be noted, the run goes on without, as it needs no journal."""
    file = _locate_journal(out)
    if file is None or not prepare_folder(file.parent):
        return
    entry = {"out": os.path.realpath(out), "staging": staging, "staged": [[one.size, one.digest] for one in staged]}
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
            json.dump(entry, written)
            written.flush()
            os.fsync(written.fileno())
        os.replace(draft, file)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()


def end_journal(out: Path) -> None:
    """Forget what was noted: nothing of it is left to be done."""
    file = _locate_journal(out)
    if file is not None and not describe_flaw(file.parent):
        with contextlib.suppress(OSError):
            file.unlink()


def find_unfinished_run(out: Path) -> UnfinishedRun | None:
    """What a killed run of this user left there; None when there was none, or nothing of it is there any more."""
    file = _locate_journal(out)
    if file is None or describe_flaw(file.parent):
        return None
    try:
        held: Any = json.loads(read_regular(file, MAX_JOURNAL_SIZE))
        staged = tuple(StagedFile(_check_type(int, size), _check_type(str, digest)) for size, digest in held["staged"])
        name = _check_type(str, held["staging"])
        folder = Path(_check_type(str, held["out"])) / name
        if held["out"] != os.path.realpath(out) or not is_staging_name(name):
            return None
        return UnfinishedRun(folder, staged) if stat.S_ISDIR(folder.lstat().st_mode) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def clear_unfinished_run(found: UnfinishedRun) -> None:
    """Remove a folder of new contents, and those files in it that are what the run wrote or had begun to write."""
    for number, one in enumerate(found.staged):
        path = found.folder / str(number)
        with contextlib.suppress(OSError):
            data = read_regular(path, one.size + 1)
            if len(data) < one.size or hashlib.sha256(data).hexdigest() == one.digest:
                path.unlink()
    with contextlib.suppress(OSError):
        found.folder.rmdir()


def _locate_journal(out: Path) -> Path | None:
    folder = find_state_folder()
    if folder is None:
        return None
    return folder / f"journal-{hashlib.sha256(os.fsencode(os.path.realpath(out))).hexdigest()}.json"


def _check_type(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    return value
