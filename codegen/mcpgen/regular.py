"""Reading what may be anything: only a regular file is read, and nothing is opened that would wait for a writer."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotRegular(OSError):
    """What is to be read is a link, a folder, a FIFO, a socket or a device."""


def read_regular(path: Path | str, most: int | None = None) -> bytes:
    """The bytes of a regular file that is no link; at most the first `most` of them.

    Raises:
        NotRegular: it is something else.
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):  # a device is not even to be opened
        raise _odd(path)
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket, since it was looked at
            raise _odd(path) from None
        raise
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _odd(path)
        return file.read() if most is None else file.read(most)


def _odd(path: Path | str) -> NotRegular:
    return NotRegular(errno.EINVAL, "is no regular file", os.fspath(path))
