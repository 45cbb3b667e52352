"""Read regular files, never more bytes than allowed and without blocking; refuse pipes, devices and other kinds."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_OPEN_FLAGS: int = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegularFile(OSError):
    """A path that names a folder, a FIFO, a socket or a device; or a link, where links aren't followed."""


class FileTooLarge(OSError):
    """A file with more bytes than allowed."""

    def __init__(self, path: str, size: int, most: int) -> None:
        super().__init__(errno.EFBIG, f"{size} bytes are more than {most}", path)
        self.size, self.most = size, most

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.filename, self.size, self.most), self.__dict__


def open_regular(path: Path | str, follow: bool = False) -> BinaryIO:
    """Open a regular file for reading.

    Args:
        path: The file.
        follow: Whether to follow links; otherwise the file itself must not be a link.

    Raises:
        NotRegularFile: The path names something else, such as a pipe. It isn't waited for.
        OSError: The file cannot be opened.
    """
    name = os.fspath(path)
    try:
        # check before opening: opening a device can have effects
        _check_kind(name, os.stat(name) if follow else os.lstat(name))
        handle = os.open(name, _OPEN_FLAGS if follow else _OPEN_FLAGS | _NO_LINK)
    except ValueError:
        raise OSError(errno.EINVAL, "a path cannot hold a NUL character", name.replace("\0", "\\0")) from None
    except OSError as error:
        if error.errno == errno.ENXIO or (error.errno == errno.ELOOP and not follow):  # replaced since the check
            raise NotRegularFile(errno.EINVAL, "it is a link or a socket, not a regular file", name) from None
        raise
    file = os.fdopen(handle, "rb")
    try:
        _check_kind(name, os.fstat(handle))
    except BaseException:
        file.close()
        raise
    return file


def read_regular(path: Path | str, most: int | None = None) -> bytes:
    """Return the first `most` bytes of a regular file, or all of them. Links aren't followed.

    Raises:
        NotRegularFile: The path names something else.
        OSError: The file cannot be read.
    """
    with open_regular(path) as file:
        return file.read() if most is None else file.read(most)


def read_input(path: Path | str, most: int, follow: bool = True) -> bytes:
    """Return all bytes of a regular file.

    Args:
        path: The file.
        most: The largest size allowed, in bytes. A file that grows while it is read is refused as well.
        follow: Whether to follow links; otherwise the file itself must not be a link.

    Raises:
        NotRegularFile: The path names something else, such as a pipe. It isn't waited for.
        FileTooLarge: The file is larger than `most`.
        OSError: The file cannot be read.
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


def _check_kind(name: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((label for is_kind, label in _KINDS if is_kind(status.st_mode)), "something else")
    raise NotRegularFile(errno.EINVAL, f"it is {kind}, not a regular file", name)
