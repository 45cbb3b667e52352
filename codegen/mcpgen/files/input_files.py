"""The one way in which input is opened: regular files alone, never more bytes than are allowed, never a wait."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from mcpgen.files.regular_files import open_regular

MAX_SETTINGS_SIZE = 256 * 2**10
"""Bytes of a settings file; larger ones are refused before they are parsed."""
REPOSITORY_MARKERS = (".git", ".hg", ".jj")


class FileTooLarge(OSError):
    """A file holds more bytes than are allowed."""

    def __init__(self, path: str, size: int, most: int) -> None:
        super().__init__(errno.EFBIG, f"{size} bytes are more than {most}", path)
        self.size, self.most = size, most

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename, self.size, self.most), self.__dict__


class PathOutsideProject(OSError):
    """A path that leads out of the folders that input may come from."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EACCES, "leads out of the project, as it is or through a link", path)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename,), self.__dict__


def read_input(path: Path | str, most: int, follow: bool = True) -> bytes:
    """The bytes of a regular file.

    Args:
        path: Where it is.
        most: How many bytes it may hold. One that grows while it is read is refused as well.
        follow: Whether links are followed; otherwise the file itself must be no link.

    Raises:
        NotRegular: it is something else, such as a pipe, which is not waited for.
        TooLarge: it holds more bytes.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    with open_regular(path, follow) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise FileTooLarge(name, size, most)
        data = file.read(most + 1)
    if len(data) > most:
        raise FileTooLarge(name, len(data), most)
    return data


def resolve_path(path: Path | str) -> Path:
    """A path without links, as far as they can be followed; a loop of links or a NUL stays in it as it is."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return Path(os.path.abspath(path))


def is_within(path: Path | str, folders: Iterable[Path]) -> bool:
    """Whether a path, its links followed, is one of these folders (which hold no links) or lies in one."""
    found = resolve_path(path)
    return any(found.is_relative_to(folder) for folder in folders)


def find_project(folder: Path) -> Path:
    """Where the input of settings that lie in a folder may come from: the repository around it, else the folder.

    A repository that holds the user's whole home folder is no project.
    """
    start = resolve_path(folder)
    beyond = {resolve_path(Path.home()), *resolve_path(Path.home()).parents} if _has_home() else set[Path]()
    for one in (start, *start.parents):
        if one in beyond:
            break
        if any(os.path.lexists(one / mark) for mark in REPOSITORY_MARKERS):
            return one
    return start


def _has_home() -> bool:
    try:
        Path.home()
    except RuntimeError:
        return False
    return True
