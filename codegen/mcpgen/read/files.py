"""The one way in which input is opened: regular files alone, never more bytes than are allowed, never a wait."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

SETTINGS_SIZE = 256 * 2**10
"""Bytes of a settings file; larger ones are refused before they are parsed."""
MARKS_OF_A_REPOSITORY = (".git", ".hg", ".jj")

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegular(OSError):
    """What is to be read is no regular file."""


class TooLarge(OSError):
    """A file holds more bytes than are allowed."""

    def __init__(self, path: str, size: int, most: int) -> None:
        super().__init__(errno.EFBIG, f"{size} bytes are more than {most}", path)
        self.size, self.most = size, most

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename, self.size, self.most), self.__dict__


class Outside(OSError):
    """A path that leads out of the folders that input may come from."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EACCES, "leads out of the project, as it is or through a link", path)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename,), self.__dict__


def read_bytes(path: Path | str, most: int) -> bytes:
    """The bytes of a regular file.

    Args:
        path: Where it is; links are followed.
        most: How many bytes it may hold. One that grows while it is read is refused as well.

    Raises:
        NotRegular: it is something else, such as a pipe, which is not waited for.
        TooLarge: it holds more bytes.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    try:
        _check_kind(name, os.stat(name))  # before it is opened, which makes some devices do something
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | _BINARY)
    except ValueError:
        raise OSError(errno.EINVAL, "a path cannot hold a NUL character", name.replace("\0", "\\0")) from None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        _check_kind(name, found)
        if found.st_size > most:
            raise TooLarge(name, found.st_size, most)
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLarge(name, len(data), most)
    return data


_BINARY: int = getattr(os, "O_BINARY", 0)


def _check_kind(name: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kind = next((words for is_kind, words in _KINDS if is_kind(found.st_mode)), "something else")
    raise NotRegular(errno.EINVAL, f"it is {kind}, not a regular file", name)


def real(path: Path | str) -> Path:
    """A path without links, as far as they can be followed; a loop of links or a NUL stays in it as it is."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return Path(os.path.abspath(path))


def lies_in(path: Path | str, folders: Iterable[Path]) -> bool:
    """Whether a path, its links followed, is one of these folders (which hold no links) or lies in one."""
    found = real(path)
    return any(found.is_relative_to(folder) for folder in folders)


def project_of(folder: Path) -> Path:
    """Where the input of settings that lie in a folder may come from: the repository around it, else the folder.

    A repository that holds the user's whole home folder is no project.
    """
    start = real(folder)
    beyond = {real(Path.home()), *real(Path.home()).parents} if _has_home() else set[Path]()
    for one in (start, *start.parents):
        if one in beyond:
            break
        if any(os.path.lexists(one / mark) for mark in MARKS_OF_A_REPOSITORY):
            return one
    return start


def _has_home() -> bool:
    try:
        Path.home()
    except RuntimeError:
        return False
    return True
