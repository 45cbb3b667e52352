"""Opening what may be anything: regular files alone, and nothing is opened that would wait for a writer."""

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
    """What is to be read is a folder, a FIFO, a socket or a device; or a link, where none is followed."""


def open_regular(path: Path | str, follow: bool = False) -> BinaryIO:
    """Open a regular file to be read.

    Args:
        path: Where it is.
        follow: Whether links are followed; otherwise the file itself must be no link.

    Raises:
        NotRegular: it is something else, such as a pipe, which is not waited for.
        OSError: it cannot be opened.
    """
    name = os.fspath(path)
    try:
        # before it is opened, which makes some devices do something
        _check_kind(name, os.stat(name) if follow else os.lstat(name))
        handle = os.open(name, _OPEN_FLAGS if follow else _OPEN_FLAGS | _NO_LINK)
    except ValueError:
        raise OSError(errno.EINVAL, "a path cannot hold a NUL character", name.replace("\0", "\\0")) from None
    except OSError as error:
        if error.errno == errno.ENXIO or (error.errno == errno.ELOOP and not follow):  # since it was looked at
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
    """The bytes of a regular file that is no link; at most the first `most` of them.

    Raises:
        NotRegular: it is something else.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read() if most is None else file.read(most)


def _check_kind(name: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kind = next((words for is_kind, words in _KINDS if is_kind(found.st_mode)), "something else")
    raise NotRegularFile(errno.EINVAL, f"it is {kind}, not a regular file", name)
