"""Read the input files of a run and record every path that was read or looked for."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from mcpgen.files import looks
from mcpgen.files.project_paths import PathOutsideProject
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
        self._resolver = looks.PathResolver()
        self.bytes_read = 0
        self.observations: dict[str, Observation] = {}

    def take_over(self, seen: Mapping[looks.Look, str]) -> None:
        """Record what was observed in an earlier run, and is the same now."""
        for (kind, path, _), result in seen.items():
            if kind == "content":
                self.observations[path] = result
            elif kind == "kind":
                self.observations.setdefault(path, result == "file")

    def find_digest(self, path: str) -> str | None:
        """Return the SHA-256 of the bytes of a file, in hex; None if it cannot be read."""
        if not isinstance(self.observations.get(path), str):
            with contextlib.suppress(OSError):
                self.read(path)
        digest = self.observations[path]
        return digest if isinstance(digest, str) else None

    def read(self, path: Path | str) -> bytes:
        """Return the bytes of a file.

        Raises:
            PathOutsideProject: It is outside of the project.
            OSError: It cannot be read; see `read_input`.
        """
        name = os.fspath(path)
        is_known = isinstance(self.observations.get(name), str)
        self.observations[name] = False
        if self._roots is not None and not self._is_inside(path):
            raise PathOutsideProject(name)
        data = read_input(path, self._most)
        self.bytes_read += 0 if is_known else len(data)
        self.observations[name] = hashlib.sha256(data).hexdigest()
        return data

    def _is_inside(self, path: Path | str) -> bool:
        """Check whether a path, links followed, is in one of the folders that input may come from."""
        try:
            resolved = self._resolver.resolve(path)
        except (OSError, ValueError):
            resolved = os.path.abspath(path)
        return any(f"{resolved}{os.sep}".startswith(os.path.join(root, "")) for root in self._roots or ())

    def is_file(self, path: Path | str) -> bool:
        """Return whether there is a file, and record it. A name that no file can have counts as no file."""
        exists = looks.is_file(path)
        self.observations.setdefault(os.fspath(path), exists)
        return exists


def is_still_same(path: str, observation: Observation) -> bool:
    """Return whether a path is as it was observed."""
    if isinstance(observation, bool):
        return looks.is_file(path) == observation
    try:
        return hashlib.sha256(read_input(path, MAX_FILE_SIZE)).hexdigest() == observation
    except OSError:
        return False
