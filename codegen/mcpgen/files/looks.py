"""Look at the file system, and note what was seen, so that a later run can tell whether it would see the same.

Every function here, and those that read files (`regular_files`), note each look while a run is recorded. Whatever a run
of `build` or `check` decides by what is on the disk, it has to see through them.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["file", "folder", "link", "other", ""]
"""What is at a path; empty: nothing, or nothing that can be looked at."""
Look = tuple[str, str, int]
"""A kind of look, a path, and a number on which the result depends as well."""


class Notes:
    """Everything that a run, or a part of it, saw."""

    def __init__(self) -> None:
        self.seen: dict[Look, str] = {}
        self.is_consistent = True
        """Whether each look that was repeated had the same result; otherwise something changed during the run."""


_NOTES: ContextVar[tuple[Notes, ...]] = ContextVar("notes of the run and of its part", default=())


@contextmanager
def take_notes() -> Generator[Notes]:
    """Note every look until the end of the block; notes that are being taken already get them, too."""
    notes = Notes()
    token = _NOTES.set((*_NOTES.get(), notes))
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(kind: str, path: Path | str, result: str, argument: int = 0) -> None:
    """Note what was seen, if notes are being taken."""
    for notes in _NOTES.get():
        if notes.seen.setdefault((kind, os.fspath(path), argument), result) != result:
            notes.is_consistent = False


def note_again(seen: Mapping[Look, str]) -> None:
    """Note what was seen before: what is done now depends on it as well."""
    for (kind, path, argument), result in seen.items():
        note(kind, path, result, argument)


def note_bytes(kind: str, path: Path | str, data: bytes | OSError, argument: int = 0) -> None:
    """Note what was read from a file, or why it could not be read."""
    if _NOTES.get():
        note(kind, path, describe_bytes(data), argument)


def describe_bytes(data: bytes | OSError) -> str:
    """Return the SHA-256 of what was read, in hex, or why nothing was."""
    return f"{data.errno} {data.strerror}" if isinstance(data, OSError) else hashlib.sha256(data).hexdigest()


# --- what is there ---------------------------------------------------------------------------------------------------
def find_kind(path: Path | str, follow: bool = True) -> Kind:
    """Return what is at a path.

    Args:
        path: the path.
        follow: whether to follow a link at its end; otherwise a link is a link.
    """
    try:
        mode = os.stat(path, follow_symlinks=follow).st_mode
    except (OSError, ValueError):
        kind: Kind = ""
    else:
        kind = _KINDS.get(stat.S_IFMT(mode), "other")
    note("kind", path, kind, int(follow))
    return kind


_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def exists(path: Path | str) -> bool:
    """Check whether there is something at a path, links followed."""
    return find_kind(path) != ""


def is_file(path: Path | str) -> bool:
    """Check whether there is a regular file at a path, links followed."""
    return find_kind(path) == "file"


def is_folder(path: Path | str) -> bool:
    """Check whether there is a folder at a path, links followed."""
    return find_kind(path) == "folder"


def is_link(path: Path | str) -> bool:
    """Check whether there is a link at a path."""
    return find_kind(path, follow=False) == "link"


def is_taken(path: Path | str) -> bool:
    """Check whether there is something at a path, be it a link that leads nowhere."""
    return find_kind(path, follow=False) != ""


class Entry(NamedTuple):
    """Something in a folder; links are not followed."""

    name: str
    path: str
    kind: Kind


def list_folder(folder: Path | str) -> list[Entry]:
    """Return what is in a folder, sorted by name.

    Raises:
        OSError: it cannot be listed.
    """
    try:
        with os.scandir(folder) as found:
            entries = sorted(Entry(entry.name, entry.path, _find_entry_kind(entry)) for entry in found)
    except OSError as error:
        note_bytes("list", folder, error)
        raise
    note_bytes("list", folder, describe_entries(entries))
    return entries


def describe_entries(entries: Iterable[Entry]) -> bytes:
    """Return names and kinds as bytes that differ whenever one of them does."""
    return "\0".join(f"{entry.kind}/{entry.name}" for entry in entries).encode("utf-8", "surrogateescape")


def _find_entry_kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def resolve(path: Path | str) -> str:
    """Return an absolute path without links, as `os.path.realpath` does.

    Raises:
        OSError, ValueError: no file can have that name.
    """
    target = os.path.realpath(path)
    note("target", path, target)
    return target


class PathResolver:
    """Resolver of links that resolves each folder once, so it must not outlive a run."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def resolve(self, path: Path | str) -> str:
        """Return the same as `resolve`."""
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            return resolve(path)
        if folder in self._folders:
            note("target", folder, self._folders[folder])
        else:
            self._folders[folder] = resolve(folder)
        resolved = os.path.join(self._folders[folder], name)
        return resolve(resolved) if is_link(resolved) else resolved
