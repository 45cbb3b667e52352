"""The one module that writes: a plan is applied whole, or finished or undone by the next run; `init`'s first files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mcpgen.plan import JOURNAL, Action, Plan

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DONE = "journal.json"


@contextmanager
def locked(out: Path) -> Generator[None]:
    """Hold the output folder, so that two builds do not interleave; a second one waits for the first.

    The folder itself is locked, which leaves nothing behind. Where that is not possible (Windows), the journal's
    folder is the guard: a second build that meets it ends with an error.

    Raises:
        OSError: the folder cannot be made or opened.
    """
    fresh = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if fresh and not any(out.iterdir()):
            out.rmdir()
        os.close(handle)


def pending(out: Path) -> bool:
    """Whether a run was killed before it had applied its plan."""
    return (out / JOURNAL).exists()


def recover(out: Path) -> None:
    """Finish a killed run whose plan was complete; forget one whose plan was not, as it had touched nothing.

    Raises:
        OSError: the folder cannot be written.
    """
    journal = out / JOURNAL
    if not journal.exists():
        return
    if (journal / _DONE).is_file():
        entries = json.loads((journal / _DONE).read_text("utf-8"))
        _carry_out(out, entries["moves"], entries["removals"])
    shutil.rmtree(journal)
    _sync(out)


def apply(plan: Plan) -> None:
    """Write and remove what the plan says. Files that stay as they are keep their mtime.

    New contents are staged in a journal first; once the journal is complete, files are moved into place one by one,
    each by a rename. A run that is killed in between is finished by `recover`.

    Raises:
        OSError: the folder cannot be written; nothing was changed then, or the next run finishes the change.
    """
    changes = [step for step in plan.changes if step.action not in (Action.EDITED, Action.FOREIGN)]
    if not changes:
        return
    journal = plan.out / JOURNAL
    journal.mkdir()
    moves: dict[str, str] = {}
    removals: list[str] = []
    try:
        for number, step in enumerate(changes):
            if step.text is None:
                removals.append(step.path)
                continue
            _write(journal / str(number), step.text)
            moves[str(number)] = step.path
        _write(journal / "journal.tmp", json.dumps({"moves": moves, "removals": removals}))
        os.replace(journal / "journal.tmp", journal / _DONE)
    except OSError:
        shutil.rmtree(journal, ignore_errors=True)
        raise
    _sync(journal)
    _carry_out(plan.out, moves, removals)
    shutil.rmtree(journal)
    _sync(plan.out)


def create(files: Mapping[Path, str]) -> None:
    """Write files that are not there yet, with the folders that they are in.

    Raises:
        OSError: one is there, or cannot be written.
    """
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(text)


def append(path: Path, text: str) -> None:
    """Put text at the end of a file.

    Raises:
        OSError: it cannot be written.
    """
    with open(path, "a", encoding="utf-8", newline="") as file:
        file.write(text)


def replace_file(path: Path, text: str) -> None:
    """Write a single file outside of the package, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write(draft, text)
        os.replace(draft, path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _carry_out(out: Path, moves: dict[str, str], removals: list[str]) -> None:
    journal = out / JOURNAL
    for staged, path in moves.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if (journal / staged).exists():
            os.replace(journal / staged, target)
    for removal in removals:
        target = out / removal
        target.unlink(missing_ok=True)
        _drop_empty(target.parent, out)


def _drop_empty(folder: Path, out: Path) -> None:
    """Remove a folder that only holds compiled Python now, and its empty parents below the output folder."""
    while folder != out and folder.is_dir():
        rest = [entry for entry in folder.iterdir() if entry.name != "__pycache__"]
        if rest:
            return
        shutil.rmtree(folder)
        folder = folder.parent


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
