"""Paths and the project: resolve links, find the project's folder, and test what is inside it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from mcpgen.files import looks

REPOSITORY_MARKERS = (".git", ".hg", ".jj")
"""Folders that mark the top of a repository."""


class PathOutsideProject(OSError):
    """A path that leads out of the folders that input may come from."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EACCES, "is outside the project, directly or through a link", path)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename,), self.__dict__


def resolve_path(path: Path | str) -> Path:
    """Return an absolute path without links. A loop of links or a NUL character stays in it."""
    try:
        return Path(looks.resolve(path))
    except (OSError, ValueError):
        return Path(os.path.abspath(path))


def is_within(path: Path | str, folders: Iterable[Path]) -> bool:
    """Return whether a path, links followed, is one of these folders (themselves without links) or inside one."""
    resolved = resolve_path(path)
    return any(resolved.is_relative_to(folder) for folder in folders)


def is_in_repository_data(path: Path | str, folders: Iterable[Path]) -> bool:
    """Return whether a path, links followed, is where a version control system keeps its own data in these folders."""
    resolved = resolve_path(path)
    inside = [resolved.relative_to(folder).parts for folder in folders if resolved.is_relative_to(folder)]
    return bool(inside) and all(any(part.lower() in REPOSITORY_MARKERS for part in parts) for parts in inside)


def find_project(folder: Path) -> Path:
    """Return the folder that the input of settings in `folder` may come from: its repository, else `folder` itself.

    A repository that contains the user's whole home folder doesn't count.
    """
    start = resolve_path(folder)
    excluded = {resolve_path(Path.home()), *resolve_path(Path.home()).parents} if _has_home() else set[Path]()
    for candidate in (start, *start.parents):
        if candidate in excluded:
            break
        if any(looks.is_taken(candidate / marker) for marker in REPOSITORY_MARKERS):
            return candidate
    return start


def is_in_git_repository(folder: Path) -> bool:
    """Return whether the project of a folder is a git repository."""
    return looks.is_taken(find_project(folder) / ".git")


def _has_home() -> bool:
    try:
        Path.home()
    except RuntimeError:
        return False
    return True


def is_working_folder_gone() -> bool:
    """Check whether the working folder was removed, so that no relative path can be resolved."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def find_import_name(package: Path) -> str:
    """Return the name by which programs import a package: with those of the packages around it."""
    names = [package.name]
    folder = package.parent
    while looks.exists(folder / "__init__.py"):
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)


IGNORES_CASE = sys.platform in ("win32", "darwin")
"""Whether file systems of this system usually ignore the case of names."""


def is_spelled_exactly(folder: Path, relative: str) -> bool:
    """Check whether a path that leads to a file has the case of the names on the disk, so that it does everywhere.

    Args:
        folder: where the path starts.
        relative: the path, with slashes.
    """
    if not IGNORES_CASE:
        return True
    for part in relative.split("/"):
        if part == "..":
            folder = folder.parent
        elif part not in ("", "."):
            if part not in _list_names(folder):
                return False
            folder /= part
    return True


def find_other_case(folder: Path, relative: str) -> str:
    """Return a path whose last name is that on the disk, where it differs in case alone; empty if there is none."""
    parent, _, name = relative.rpartition("/")
    matches = sorted(other for other in _list_names(folder / parent) if other.lower() == name.lower() and other != name)
    return f"{parent}/{matches[0]}".lstrip("/") if matches else ""


def _list_names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in looks.list_folder(folder)]
    except (OSError, ValueError):
        return []
