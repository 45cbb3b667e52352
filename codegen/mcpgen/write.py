"""Writes into projects, all of which are made here: plans are applied, single files are created or replaced."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Findings, Span
from mcpgen.files import journal
from mcpgen.files.journal import StagedFile, UnfinishedRun, find_state_folder, remove_file, replace_path
from mcpgen.files.private_folders import prepare_folder
from mcpgen.paths import format_path
from mcpgen.plan import Action, Plan, Step, find_place, is_as_planned

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MAX_ATTEMPTS = 5
"""Number of plans that are made before giving up because a file changed after it was planned."""
STAGING_THREADS = 8
"""Threads that write files before they are renamed: most of the time goes by until the disk has them."""


class FileChanged(Exception):
    """A file, `path`, has changed since it was planned."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


@contextmanager
def lock_output(out: Path) -> Generator[None]:
    """Lock the output folder, so that a second build waits for the first; raise `OSError` if it cannot be opened.

    The folder itself is locked, which leaves no file behind. Windows cannot lock folders: a file in the user's state
    folder is locked there.
    """
    fresh = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        with lock_by_file(out):
            yield
        return
    handle = _open_lock(out)
    try:
        yield
    finally:
        if fresh:
            with contextlib.suppress(OSError):
                out.rmdir()  # fails unless it is empty
        os.close(handle)


def _open_lock(out: Path) -> int:
    """Return a locked handle of a folder; if it was replaced while waiting for the lock, that of the new one."""
    assert fcntl is not None
    for _ in range(MAX_ATTEMPTS):
        handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle), os.stat(out)):
                return handle
        except FileNotFoundError:
            out.mkdir(parents=True, exist_ok=True)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    raise OSError(errno.EBUSY, "is removed again and again while it is being written; run this again", str(out))


def has_interrupted_run(out: Path) -> bool:
    """Check whether a run of this user was killed before it had applied its plan."""
    return journal.find_unfinished_run(out) is not None


def recover_interrupted_run(out: Path) -> None:
    """Delete the temporary files of a killed run; its other files are complete or unchanged, as any plan finds."""
    if (unfinished := journal.find_unfinished_run(out)) is not None:
        journal.clear_unfinished_run(unfinished)
    journal.end_journal(out)


def plan_and_apply(out: Path, make_plan: Callable[[], Plan]) -> Plan:
    """Apply a plan unless it is refused, and return it; plan again if a file changes, and give up with `OSError`."""
    changed_file = out
    with lock_output(out):
        for _ in range(MAX_ATTEMPTS):
            plan = make_plan()  # which knows what a killed run has written
            recover_interrupted_run(out)
            if plan.is_refused:
                return plan
            try:
                apply_plan(plan)
            except FileChanged as error:
                changed_file = error.path
            else:
                return plan
    raise OSError(errno.EBUSY, "changes again and again while it is being written; run this again", str(changed_file))


def apply_plan(plan: Plan) -> None:
    """Write and remove files by a plan; raise `OSError`, or `FileChanged` for a file that is not as planned.

    All new contents are staged first, in a folder within the output folder whose name differs in each run. Then each
    file is renamed to its final path. Right before it is replaced or removed, a file is compared with its planned
    state. A module goes before the JSON file that has its hash. A journal tells the next run if this one was killed.
    Unchanged files keep their mtime.
    """
    changes = [step for step in plan.changes if step.action not in (Action.EDITED, Action.FOREIGN)]
    changes.sort(key=lambda step: step.path.endswith(".json"))
    if not changes:
        return
    texts = [step.text.encode() for step in changes if step.text is not None]
    staged = tuple(StagedFile(len(data), hashlib.sha256(data).hexdigest()) for data in texts)
    run = UnfinishedRun(plan.out / journal.make_staging_name(), staged)
    journal.begin_journal(plan.out, run.folder.name, staged)
    try:
        _stage_texts(plan.out, run.folder, texts)
        for step in changes:
            _check_unchanged(plan.out, step)
        _execute_steps(plan.out, run.folder, changes)
    except (OSError, FileChanged):
        _clear_journal(plan.out, run)
        raise
    _clear_journal(plan.out, run)
    _sync_folder(plan.out)


def _stage_texts(out: Path, staging: Path, texts: Sequence[bytes]) -> None:
    try:
        staging.mkdir(mode=0o700)
        paths = [staging / str(number) for number in range(len(texts))]
        if len(texts) <= STAGING_THREADS:
            for path, data in zip(paths, texts, strict=True):
                _write_new_file(path, data)
        else:
            from concurrent.futures import ThreadPoolExecutor  # most runs after an edit need none

            with ThreadPoolExecutor(STAGING_THREADS) as threads:
                list(threads.map(_write_new_file, paths, texts))  # which raises what one of them raised
        _sync_folder(staging)
    except OSError as error:  # the name of the staging folder would tell a user nothing
        raise OSError(error.errno, error.strerror, str(out)) from None


def _execute_steps(out: Path, staging: Path, changes: Sequence[Step]) -> None:
    """Move the staged files, which are numbered in the order of the steps, to their paths; then remove files."""
    numbers = iter(range(len(changes)))
    for step in changes:
        if step.text is not None:
            target = find_place(out, step.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            _check_unchanged(out, step)
            replace_path(staging / str(next(numbers)), target)
    for step in changes:
        if step.text is None:
            _check_unchanged(out, step)
            remove_file(find_place(out, step.path))
            _remove_empty_folders(find_place(out, step.path).parent, out)


def _check_unchanged(out: Path, step: Step) -> None:
    if not is_as_planned(out, step):
        raise FileChanged(find_place(out, step.path))


def _clear_journal(out: Path, run: UnfinishedRun) -> None:
    journal.clear_unfinished_run(run)
    if not os.path.lexists(run.folder):
        journal.end_journal(out)


def create_files(files: Mapping[Path, str], addition: tuple[Path, str] | None = None) -> ExitStack:
    """Create files, append to one, and return what undoes that; raise `OSError`, with nothing left behind."""
    with ExitStack() as undo:
        for path, text in files.items():
            for folder in _create_folders(path.parent):
                undo.callback(_try, folder.rmdir)
            with _name_file_in_errors(path), open(path, "x", encoding="utf-8", newline="") as file:
                undo.callback(_try, path.unlink)
                file.write(text)
        if addition is not None:
            size = addition[0].stat().st_size
            append_text(*addition)
            undo.callback(_try, partial(os.truncate, addition[0], size))
        return undo.pop_all()


def _try(operate: Callable[[], object]) -> None:
    with contextlib.suppress(OSError):  # such as a folder into which somebody else has written
        operate()


def _create_folders(folder: Path) -> list[Path]:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


@contextmanager
def _name_file_in_errors(path: Path) -> Generator[None]:
    """Name a file in errors that do not name one, as when the disk is full."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def append_text(path: Path, text: str) -> None:
    """Append text to a regular file, not through a link; raise `OSError` if that fails, and leave it as it was."""
    _check_regular(path)
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    size = path.stat().st_size
    try:
        with _name_file_in_errors(path), open(os.open(path, flags), "a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError:
        if path.stat().st_size > size:
            os.truncate(path, size)
        raise


def replace_file(path: Path, text: str) -> None:
    """Create or replace a regular file atomically, with names of files as their bytes; raise `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        _check_regular(path)
    draft = path.with_name(f".{secrets.token_hex(8)}.mcpgen-tmp")
    try:
        _write_new_file(draft, os.fsencode(text))
        replace_path(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def _check_regular(path: Path) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))


def _remove_empty_folders(folder: Path, out: Path) -> None:
    """Remove a folder that has no files but compiled Python files, then its parents within the output folder."""
    with contextlib.suppress(OSError):  # it has other files, or was removed in between
        while folder != out and {entry.name for entry in folder.iterdir()} <= {"__pycache__"}:
            compiled = folder / "__pycache__"
            if compiled.is_dir() and not compiled.is_symlink():
                for entry in compiled.glob("*.pyc"):
                    entry.unlink()
                compiled.rmdir()
            folder.rmdir()
            folder = folder.parent


def _write_new_file(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


try:
    windows_locks: Any = import_module("msvcrt")
except ImportError:  # every system but Windows
    windows_locks = None
"""The module that locks bytes of files on Windows; None elsewhere."""
RETRY_SECONDS = 0.05


@contextmanager
def lock_by_file(out: Path) -> Generator[None]:
    """Lock a folder by a file in the state folder, if there is one; the system unlocks it at a crash."""
    folder = find_state_folder()
    if windows_locks is None or folder is None or not prepare_folder(folder):
        yield
        return
    place = os.path.normcase(os.path.realpath(out))
    name = f"lock-{hashlib.sha256(os.fsencode(place)).hexdigest()}"
    handle = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for_lock(handle)
        try:
            yield
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
            windows_locks.locking(handle, windows_locks.LK_UNLCK, 1)
    finally:
        os.close(handle)


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


def report_failure(error: OSError, path: Path, findings: Findings) -> None:
    """Report that a file or folder cannot be written."""
    findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(path)))
