"""What the output folder should hold against what it holds: one plan, which `check` reports and `build` applies."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath

from mcpgen.diagnostics import Span
from mcpgen.files.journal import is_staging_name
from mcpgen.files.ownership import HASH_LABEL, MAX_HEADER_LENGTH, Maker, Owner, detect_owner
from mcpgen.files.regular_files import NotRegularFile, read_input, read_regular

__all__ = [
    "Action",
    "Owner",
    "Plan",
    "Step",
    "detect_owner",
    "find_first_difference",
    "is_as_planned",
    "make_plan",
    "plan_file",
    "split_diff_lines",
]

OLD_JOURNAL = ".mcpgen-journal"
"""Where mcpgen once kept its journal. Whatever lies there is not read."""
LARGEST = 256 * 2**20
"""Bytes of a file in the output folder, far more than mcpgen writes; a larger one is not read."""
PACKAGE_MARKER = ".gitattributes"
"""A file that every package has, and none in a folder within."""


class Action(Enum):
    """What is to be done with a file."""

    KEEP = "keep"
    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    EDITED = "edited"
    FOREIGN = "foreign"


@dataclass(frozen=True)
class Step:
    """One file of the plan, its path relative to the output folder.

    `text` is what is wanted, None for a removal; of a file that is kept, no text is. `held` is the SHA-256 of the bytes
    that the plan found there, in hex; None when there was no file.
    """

    path: str
    action: Action
    text: str | None = None
    current: str | None = None
    held: str | None = None


@dataclass(frozen=True)
class Plan:
    """Every file that is wanted or is mcpgen's, sorted by path."""

    out: Path
    steps: tuple[Step, ...]

    @property
    def changes(self) -> list[Step]:
        """The steps that change something."""
        return [step for step in self.steps if step.action is not Action.KEEP]

    @property
    def refused(self) -> list[Step]:
        """The files that stand in the way."""
        return [step for step in self.steps if step.action in (Action.EDITED, Action.FOREIGN)]


def make_plan(
    out: Path, wanted: Mapping[str, str], force: bool = False, digests: Mapping[str, str] | None = None
) -> Plan:
    """Compare. With `force`, edited and foreign files in the way are to be replaced.

    `digests` are the SHA-256 of the texts where these are known: a file that has the right one is not looked up in
    `wanted`.

    Raises:
        OSError: the folder cannot be read.
    """
    steps: list[Step] = []
    found: set[str] = set()
    folders = {str(parent) for path in wanted for parent in PurePosixPath(path).parents}
    for path, data in _read_managed_files(out, wanted.keys(), folders):
        if path in wanted:
            found.add(path)
            if digests is not None and _hash_bytes(data) == digests[path]:
                steps.append(Step(path, Action.KEEP))
            else:
                steps.append(_make_wanted_step(path, wanted[path], data, force))
        elif (step := _make_unwanted_step(path, data, force)) is not None:
            steps.append(step)
    for path in wanted:
        if path not in found:
            steps.append(_make_new_step(out, path, wanted[path]))
    return Plan(out, tuple(sorted(steps, key=lambda step: step.path)))


def plan_file(out: Path, path: str, text: str, force: bool = False, maker: Maker = "build") -> Plan:
    """Compare a single file that `maker` writes, and leave the rest of the folder out of it.

    Raises:
        OSError: the folder cannot be read.
    """
    if _is_regular(out / path) and not _is_path_blocked(out, path):
        return Plan(out, (_make_wanted_step(path, text, _whole(out / path), force, maker),))
    return Plan(out, (_make_new_step(out, path, text),))


def is_as_planned(out: Path, step: Step) -> bool:
    """Whether a file still has the bytes that the plan found, or still is not there, and no link leads to it.

    Raises:
        OSError: it cannot be read.
    """
    if _is_path_blocked(out, step.path):
        return False
    if step.held is None:
        return not os.path.lexists(out / step.path)
    try:
        return _hash_bytes(_whole(out / step.path)) == step.held
    except (FileNotFoundError, NotRegularFile):
        return False


def _is_path_blocked(out: Path, path: str) -> bool:
    """Whether something on the way to a file is no folder: a link, which may lead elsewhere, a file, a device."""
    for part in [*PurePosixPath(path).parents][-2::-1]:
        try:
            mode = (out / part).lstat().st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISDIR(mode):
            return True
    return False


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _make_unwanted_step(path: str, data: bytes, force: bool) -> Step | None:
    current = _decode_text(data)
    match detect_owner(path, current):
        case Owner.MCPGEN:
            return Step(path, Action.REMOVE, None, current, _hash_bytes(data))
        case Owner.EDITED:
            return Step(path, Action.REMOVE if force else Action.EDITED, None, current, _hash_bytes(data))
        case Owner.FOREIGN:
            return None


def _make_new_step(out: Path, path: str, text: str) -> Step:
    """A file that is not there, unless as something else or by a name that the file system takes for the same."""
    blocked = os.path.lexists(out / path) or _is_path_blocked(out, path)
    return Step(path, Action.FOREIGN if blocked else Action.CREATE, text)


def _make_wanted_step(path: str, text: str, data: bytes, force: bool, maker: Maker = "build") -> Step:
    current = _decode_text(data)
    if current == text:
        return Step(path, Action.KEEP)
    owner = detect_owner(path, current, maker)
    if owner is Owner.MCPGEN or force:
        return Step(path, Action.UPDATE, text, current, _hash_bytes(data))
    return Step(path, Action.EDITED if owner is Owner.EDITED else Action.FOREIGN, text, current)


def _hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def split_diff_lines(text: str | None) -> list[str]:
    """The lines as `diff` counts them, which `str.splitlines` does not: it also breaks at form feeds and the like."""
    parts = (text or "").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def find_first_difference(path: str, step: Step) -> Span:
    """The first line on which a file differs from what is wanted, the body's hash apart, which always does."""
    if step.current is None or step.text is None:
        return Span(path)
    old, new = split_diff_lines(step.current), split_diff_lines(step.text)
    pairs = enumerate(zip(old, new, strict=False), 1)
    common = min(len(old), len(new))
    differing = (number for number, (one, other) in pairs if one != other and "mcpgen-sha256" not in one)
    line = next(differing, min(common + 1, len(old)))
    return Span(path, line, 1) if line else Span(path)


def _read_managed_files(
    out: Path, wanted: Collection[str], folders: Collection[str], inner: str = ""
) -> Iterator[tuple[str, bytes]]:
    """The path and the bytes of each file below the folder that is wanted or may be mcpgen's, one at a time.

    Links are not followed, and nothing but regular files is opened. What cannot be read is nobody's but the user's,
    unless it is wanted. A package in there, other than in one of the `folders` of this one, is left alone.
    """
    if not inner and not out.is_dir():
        return
    for entry in _list_entries(out, inner, folders):
        path = f"{inner}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            skipped = entry.name == "__pycache__" or is_staging_name(entry.name) or path == OLD_JOURNAL
            if not skipped and (path in folders or not _is_package(Path(entry.path))):
                yield from _read_managed_files(out, wanted, folders, f"{path}/")
        elif entry.is_file(follow_symlinks=False):
            try:
                if path in wanted or HASH_LABEL.encode() in read_regular(entry.path, MAX_HEADER_LENGTH):
                    yield path, _whole(entry.path)
            except FileNotFoundError:
                continue  # it went in the meantime
            except OSError:
                if path in wanted:
                    raise


def _list_entries(out: Path, inner: str, folders: Collection[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(out / inner) as entries:
            return list(entries)
    except OSError:
        if not inner or inner.removesuffix("/") in folders:
            raise
        return []  # the user's, or it went in the meantime


def _is_package(folder: Path) -> bool:
    """Whether a folder is a generated package of its own."""
    try:
        return (
            detect_owner(PACKAGE_MARKER, _decode_text(read_regular(folder / PACKAGE_MARKER, MAX_HEADER_LENGTH)))
            is not Owner.FOREIGN
        )
    except OSError:
        return False


def _whole(path: Path | str) -> bytes:
    return read_input(path, LARGEST, follow=False)


def _decode_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\0 no text"
