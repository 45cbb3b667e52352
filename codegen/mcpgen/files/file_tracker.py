"""Read the input files of a run and record every path that was read or looked for."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from mcpgen.files.project_paths import PathOutsideProject, is_within
from mcpgen.files.regular_files import read_input

Observation: TypeAlias = "str | bool"
"""What was observed at a path: the SHA-256 of the bytes that were read (hex), or whether there is a file."""


MAX_FILE_SIZE = 16 * 2**20
"""Bytes in one input file, unless the settings set another limit."""


class FileTracker:
    """Reader of files that records an observation for each path.

    Args:
        roots: The folders, without links, outside of which nothing is read; None: no restriction.
        most: The largest size of a file, in bytes.
    """

    def __init__(self, roots: tuple[Path, ...] | None = None, most: int = MAX_FILE_SIZE) -> None:
        self._roots, self._most = roots, most
        self.bytes_read = 0
        self.observations: dict[str, Observation] = {}
        self._part: dict[str, Observation] | None = None

    @contextmanager
    def track_part(self) -> Generator[dict[str, Observation]]:
        """Collect what is observed until the end of the block in a dictionary of its own as well."""
        self._part = {}
        try:
            yield self._part
        finally:
            self._part = None

    def note(self, path: Path | str) -> None:
        """Record that the current part depends on what was observed at a path before."""
        name = os.fspath(path)
        if self._part is not None and name in self.observations:
            self._part[name] = self.observations[name]

    def is_unchanged(self, path: str, observation: Observation) -> bool:
        """Return whether a path is as it was observed in an earlier run. Each path is checked once per run."""
        if isinstance(observation, bool):
            return bool(self.observations.setdefault(path, os.path.isfile(path))) == observation
        if not isinstance(self.observations.get(path), str):
            with contextlib.suppress(OSError):
                self.read(path)
        return self.observations.get(path) == observation

    def read(self, path: Path | str) -> bytes:
        """Return the bytes of a file.

        Raises:
            PathOutsideProject: It is outside of the project.
            OSError: It cannot be read; see `read_input`.
        """
        name = os.fspath(path)
        self.observations[name] = False
        if self._roots is not None and not is_within(path, self._roots):
            raise PathOutsideProject(name)
        data = read_input(path, self._most)
        self.bytes_read += len(data)
        self.observations[name] = hashlib.sha256(data).hexdigest()
        self.note(name)
        return data

    def is_file(self, path: Path | str) -> bool:
        """Return whether there is a file, and record it. A name that no file can have counts as no file."""
        exists = os.path.isfile(path)
        self.observations.setdefault(os.fspath(path), exists)
        self.note(path)
        return exists


def is_still_same(path: str, observation: Observation) -> bool:
    """Return whether a path is as it was observed."""
    if isinstance(observation, bool):
        return os.path.isfile(path) == observation
    try:
        return os.path.isfile(path) and hash_file(path) == observation
    except OSError:
        return False


def hash_file(path: str, most: int = MAX_FILE_SIZE) -> str:
    """Return the SHA-256 of a file's bytes, in hex.

    Raises:
        OSError: It cannot be read; see `read_input`.
    """
    return hashlib.sha256(read_input(path, most)).hexdigest()
