"""Read regular files, never more bytes than allowed and without blocking; refuse pipes, devices and other kinds."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from mcpgen.files.looks import note_bytes

_OPEN_FLAGS: int = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PART_SIZE = 2**20
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


def read_regular(path: Path | str, most: int | None = None) -> bytes:
    """Return the first `most` bytes of a regular file, or all of them. Links aren't followed.

    Raises:
        NotRegularFile: The path names something else.
        OSError: The file cannot be read.
    """
    return _read_and_note("start", path, -1 if most is None else most, lambda: read_unnoted(path, most, False, False))


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
    kind = "content" if follow else "own content"
    return _read_and_note(kind, path, most, lambda: read_unnoted(path, most, follow, True))


def _read_and_note(kind: str, path: Path | str, most: int, read: Callable[[], bytes]) -> bytes:
    try:
        data = read()
    except OSError as error:
        note_bytes(kind, path, error, most)
        raise
    note_bytes(kind, path, data, most)
    return data


def read_unnoted(path: Path | str, most: int | None, follow: bool, is_whole: bool) -> bytes:
    """Return the bytes of a regular file, as `read_input` (`is_whole`) or `read_regular` does, without noting it."""
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
    try:
        status = os.fstat(handle)
        _check_kind(name, status)
        if is_whole and most is not None and status.st_size > most:
            raise FileTooLarge(name, status.st_size, most)
        data = _read_handle(handle, status.st_size + 1, None if most is None else most + is_whole)
    finally:
        os.close(handle)
    if is_whole and most is not None and len(data) > most:
        raise FileTooLarge(name, len(data), most)
    return data


def _read_handle(handle: int, expected: int, most: int | None) -> bytes:
    """Return the first `most` bytes of an open file, or all of them, which are probably fewer than `expected`."""
    data = os.read(handle, expected if most is None else min(expected, most))
    if len(data) < expected:
        return data  # one read gives what there is of a regular file, unless it is very large
    while part := os.read(handle, _PART_SIZE if most is None else min(_PART_SIZE, most - len(data))):
        data += part
    return data


def _check_kind(name: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((label for is_kind, label in _KINDS if is_kind(status.st_mode)), "something else")
    raise NotRegularFile(errno.EINVAL, f"it is {kind}, not a regular file", name)
