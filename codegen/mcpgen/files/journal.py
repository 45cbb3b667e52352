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

from mcpgen.files.private_folders import flaw, prepare, users_folder
from mcpgen.files.regular_files import read_regular

VARIABLE = "MCPGEN_STATE_DIR"
"""The environment variable that names the state folder; when it is empty, there is none."""
LARGEST = 64 * 2**20
"""Bytes of a journal that is read."""
_STAGING = re.compile(r"\.mcpgen-[0-9a-f]{32}")


@dataclass(frozen=True)
class Staged:
    """One new content: it is in a file that is called by its number."""

    size: int
    """Bytes."""
    digest: str
    """The SHA-256 of the bytes, in hex."""


@dataclass(frozen=True)
class Left:
    """What a killed run left in its output folder."""

    folder: Path
    staged: tuple[Staged, ...]


def staging_name() -> str:
    """A name that nobody can know beforehand, for the folder of new contents within the output folder."""
    return f".mcpgen-{secrets.token_hex(16)}"


def is_staging(name: str) -> bool:
    """Whether a name is one of a folder of new contents."""
    return _STAGING.fullmatch(name) is not None


def state_folder() -> Path | None:
    """The folder for journals: that of the environment, else the user's own; None for none."""
    if VARIABLE in os.environ:
        named = os.environ[VARIABLE]
        return Path(named).absolute() if named else None
    return users_folder("state")


def complaint() -> str:
    """Why the state folder is not used; empty where it is, or where there is none."""
    folder = state_folder()
    found = "" if folder is None else flaw(folder)
    return f"the state folder {folder} is not used: it {found}" if found else ""


def begin(out: Path, staging: str, staged: Sequence[Staged]) -> None:
    """Note what is about to be staged. Where nothing can be noted, the run goes on without, as it needs no journal."""
    file = _file(out)
    if file is None or not prepare(file.parent):
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


def end(out: Path) -> None:
    """Forget what was noted: nothing of it is left to be done."""
    file = _file(out)
    if file is not None and not flaw(file.parent):
        with contextlib.suppress(OSError):
            file.unlink()


def left(out: Path) -> Left | None:
    """What a killed run of this user left there; None when there was none, or nothing of it is there any more."""
    file = _file(out)
    if file is None or flaw(file.parent):
        return None
    try:
        held: Any = json.loads(read_regular(file, LARGEST))
        staged = tuple(Staged(_is(int, size), _is(str, digest)) for size, digest in held["staged"])
        name = _is(str, held["staging"])
        folder = Path(_is(str, held["out"])) / name
        if held["out"] != os.path.realpath(out) or not is_staging(name):
            return None
        return Left(folder, staged) if stat.S_ISDIR(folder.lstat().st_mode) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def clear(found: Left) -> None:
    """Remove a folder of new contents, and those files in it that are what the run wrote or had begun to write."""
    for number, one in enumerate(found.staged):
        path = found.folder / str(number)
        with contextlib.suppress(OSError):
            data = read_regular(path, one.size + 1)
            if len(data) < one.size or hashlib.sha256(data).hexdigest() == one.digest:
                path.unlink()
    with contextlib.suppress(OSError):
        found.folder.rmdir()


def _file(out: Path) -> Path | None:
    folder = state_folder()
    if folder is None:
        return None
    return folder / f"journal-{hashlib.sha256(os.fsencode(os.path.realpath(out))).hexdigest()}.json"


def _is(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    return value
