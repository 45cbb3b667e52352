"""The one module that writes into projects: a plan is applied whole, or planned anew; `init`'s first files."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from mcpgen.files import journal
from mcpgen.files.journal import StagedFile, UnfinishedRun
from mcpgen.plan import Action, Plan, Step, is_as_planned

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MAX_ATTEMPTS = 5
"""How often a plan is made anew because a file changed after it was planned."""


class FileChanged(Exception):
    """A file is not any more what it was when it was planned; `path` is the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


@contextmanager
def lock_output(out: Path) -> Generator[None]:
    """Hold the output folder, so that two builds do not interleave; a second one waits for the first.

    The folder itself is locked, which leaves nothing behind. Where that is not possible (Windows), builds are not kept
    apart; each still moves whole files into place, and none that changed after it was planned.

    Raises:
        OSError: the folder cannot be made or opened.
    """
    fresh = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = _open_lock(out)
    try:
        yield
    finally:
        if fresh:
            with contextlib.suppress(OSError):
                out.rmdir()  # unless it holds something
        os.close(handle)


def _open_lock(out: Path) -> int:
    """A locked handle of the folder that has this name now, and not of one that was removed while this waited."""
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
    """Whether a run of this user was killed before it had applied its plan."""
    return journal.find_unfinished_run(out) is not None


def recover_interrupted_run(out: Path) -> None:
    """Clear away what a killed run of this user left. What it had to do is planned anew: each file that it had moved
    is whole, and each that it had not is as it was, or as the user has made it since.
    """
    found = journal.find_unfinished_run(out)
    if found is not None:
        journal.clear_unfinished_run(found)
    journal.end_journal(out)


def plan_and_apply(out: Path, make: Callable[[], Plan]) -> Plan:
    """Make a plan and apply it, and make it anew where a file changed in between; give the plan.

    A plan with something in the way is not applied.

    Raises:
        OSError: the folder cannot be read or written.
    """
    changed = out
    with lock_output(out):
        recover_interrupted_run(out)
        for _ in range(MAX_ATTEMPTS):
            made = make()
            if made.refused:
                return made
            try:
                apply_plan(made)
            except FileChanged as error:
                changed = error.path
            else:
                return made
    raise OSError(errno.EBUSY, "changes again and again while it is being written; run this again", str(changed))


def apply_plan(plan: Plan) -> None:
    """Write and remove what the plan says. Files that stay as they are keep their mtime.

    All new contents are staged first, in a folder of the output folder that has a name of its own in each run; then
    files are moved into place one by one, each by a rename. Right before it is replaced or removed, a file is compared
    with what the plan has seen. A run that is killed is known to the next one by its journal.

    Raises:
        OSError: the folder cannot be written.
        Changed: a file is not what the plan has seen; it was not touched.
    """
    changes = [step for step in plan.changes if step.action not in (Action.EDITED, Action.FOREIGN)]
    if not changes:
        return
    texts = [step.text.encode() for step in changes if step.text is not None]
    staged = tuple(StagedFile(len(data), hashlib.sha256(data).hexdigest()) for data in texts)
    left = UnfinishedRun(plan.out / journal.make_staging_name(), staged)
    journal.begin_journal(plan.out, left.folder.name, staged)
    try:
        _stage_texts(plan.out, left.folder, texts)
        for step in changes:
            _check_unchanged(plan.out, step)
        _execute_steps(plan.out, left.folder, changes)
    except (OSError, FileChanged):
        _clear_journal(plan.out, left)
        raise
    _clear_journal(plan.out, left)
    _sync_folder(plan.out)


def _stage_texts(out: Path, staging: Path, texts: Sequence[bytes]) -> None:
    try:
        staging.mkdir(mode=0o700)
        for number, data in enumerate(texts):
            _write_new_file(staging / str(number), data)
        _sync_folder(staging)
    except OSError as error:  # the folder of new contents says nothing to anybody
        raise OSError(error.errno, error.strerror, str(out)) from None


def _execute_steps(out: Path, staging: Path, changes: Sequence[Step]) -> None:
    numbers = iter(range(len(changes)))
    for step in changes:
        if step.text is not None:
            target = out / step.path
            target.parent.mkdir(parents=True, exist_ok=True)
            _check_unchanged(out, step)
            os.replace(staging / str(next(numbers)), target)
    for step in changes:
        if step.text is None:
            _check_unchanged(out, step)
            (out / step.path).unlink()
            _remove_empty_folders((out / step.path).parent, out)


def _check_unchanged(out: Path, step: Step) -> None:
    if not is_as_planned(out, step):
        raise FileChanged(out / step.path)


def _clear_journal(out: Path, left: UnfinishedRun) -> None:
    journal.clear_unfinished_run(left)
    if not os.path.lexists(left.folder):
        journal.end_journal(out)


def create_files(files: Mapping[Path, str]) -> None:
    """Write files that are not there yet, with the folders that they are in.

    Raises:
        OSError: one is there, or cannot be written.
    """
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(text)


def append_text(path: Path, text: str) -> None:
    """Put text at the end of a regular file that is no link.

    Raises:
        OSError: it cannot be written.
    """
    _check_regular(path)
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "a", encoding="utf-8", newline="") as file:
        file.write(text)


def replace_file(path: Path, text: str) -> None:
    """Write a single file outside of the package, whole or not at all.

    Raises:
        OSError: it cannot be written, or what is there is no regular file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        _check_regular(path)
    draft = path.with_name(f".{secrets.token_hex(8)}.mcpgen-tmp")
    try:
        _write_new_file(draft, text.encode())
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def _check_regular(path: Path) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))


def _remove_empty_folders(folder: Path, out: Path) -> None:
    """Remove a folder that holds nothing now but Python's compiled files, and its parents below the output folder."""
    with contextlib.suppress(OSError):  # it holds something else, or went in the meantime
        while folder != out and {entry.name for entry in folder.iterdir()} <= {"__pycache__"}:
            _remove_compiled_files(folder / "__pycache__")
            folder.rmdir()
            folder = folder.parent


def _remove_compiled_files(folder: Path) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for entry in folder.iterdir():
        if entry.suffix == ".pyc":
            entry.unlink()
    folder.rmdir()


def _write_new_file(path: Path, data: bytes) -> None:
    """Write a file that is not there yet."""
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
