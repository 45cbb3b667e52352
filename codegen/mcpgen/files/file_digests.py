"""Digests of files, recalled without reading a file as long as it is the one that was read."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Mapping

from mcpgen.files.file_identity import describe_identity, is_settled
from mcpgen.files.regular_files import read_input

_DIGEST_LENGTH = 64


class FileDigests:
    """SHA-256 of files, each recalled while the file has the same device, inode, size and times as when it was read.

    A file that was changed only just before it was read is not recalled: it may change once more within the same tick
    of the clock, without a trace in its times.

    Args:
        recalled: what `entries` was in an earlier run.
    """

    def __init__(self, recalled: Mapping[str, str] | None = None) -> None:
        self._recalled = recalled or {}
        self._current: dict[str, str] = {}

    @property
    def entries(self) -> Mapping[str, str]:
        """Return the identity and the digest of each file that was asked for and has settled, as one text, by path."""
        return self._current

    @property
    def has_changed(self) -> bool:
        """Tell whether the entries differ from those that were recalled."""
        return self._current != self._recalled

    def hash_file(self, path: str, most: int, follow: bool = True) -> str:
        """Return the SHA-256 of a file's bytes, in hex.

        Args:
            path: the file.
            most: the largest size allowed, in bytes.
            follow: whether to follow links; otherwise the file itself must not be a link.

        Raises:
            OSError: it cannot be read; see `read_input`.
        """
        now = time.time_ns()
        status = os.stat(path, follow_symlinks=follow)
        identity = f"{describe_identity(status)} "
        entry = self._recalled.get(path, "")
        is_same = entry[:-_DIGEST_LENGTH] == identity and stat.S_ISREG(status.st_mode) and status.st_size <= most
        if not is_same:
            entry = identity + hashlib.sha256(read_input(path, most, follow)).hexdigest()
        if is_same or is_settled(status, now):
            self._current[path] = entry
        return entry[-_DIGEST_LENGTH:]
