"""Read the input files of a run and record every path that was read or looked for."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
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
        self._files: dict[str, tuple[str, int]] = {}
        """Where each file that was read really is, and its size in bytes."""
        self._counted: set[str] = set()
        self.bytes_read = 0
        """The bytes of all files that were read, links followed."""
        self.observations: dict[str, Observation] = {}

    def repeat(self, look: looks.Look) -> str | None:
        """Return what a look at a file by this tracker sees now, and record it; None for any other look."""
        kind, path, argument = look
        if kind == "content" and argument == self._most:
            return self.find_digest(path)
        if look == ("kind", path, 1):
            exists = looks.find_kind(path)
            self.observations.setdefault(path, exists == "file")
            return exists
        return None

    def find_digest(self, path: str) -> str | None:
        """Return the SHA-256 of the bytes of a file, in hex; None if it cannot be read."""
        if not isinstance(self.observations.get(path), str):
            with contextlib.suppress(OSError):
                self._read(path)
        digest = self.observations[path]
        return digest if isinstance(digest, str) else None

    def read(self, path: Path | str) -> bytes:
        """Return the bytes of a file.

        Raises:
            PathOutsideProject: It is outside of the project.
            OSError: It cannot be read; see `read_input`.
        """
        data = self._read(path)
        self._count(dict([self._files[os.fspath(path)]]))
        return data

    def count_known(self, paths: Iterable[str], most: int) -> bool:
        """Count the bytes of files whose digests were found, as if they were read, unless that makes too many.

        Args:
            paths: the files.
            most: the largest number of bytes of all files.

        Returns:
            Whether they were counted.
        """
        sizes = dict(self._files[path] for path in paths if path in self._files)
        if self.bytes_read + sum(size for path, size in sizes.items() if path not in self._counted) > most:
            return False
        self._count(sizes)
        return True

    def resolve(self, path: Path | str) -> str:
        """Return an absolute path without links. A loop of links or a NUL character stays in it."""
        try:
            return self._resolver.resolve(path)
        except (OSError, ValueError):
            return os.path.abspath(path)

    def _count(self, sizes: Mapping[str, int]) -> None:
        self.bytes_read += sum(size for path, size in sizes.items() if path not in self._counted)
        self._counted.update(sizes)

    def _read(self, path: Path | str) -> bytes:
        name = os.fspath(path)
        self.observations[name] = False
        resolved = self.resolve(path)
        if self._roots is not None and not self._is_inside(resolved):
            raise PathOutsideProject(name)
        data = read_input(path, self._most)
        self._files[name] = resolved, len(data)
        self.observations[name] = hashlib.sha256(data).hexdigest()
        return data

    def _is_inside(self, resolved: str) -> bool:
        """Check whether a path without links is in one of the folders that input may come from."""
        return any(f"{resolved}{os.sep}".startswith(os.path.join(root, "")) for root in self._roots or ())

    def is_file(self, path: Path | str) -> bool:
        """Return whether there is a file, and record it. A name that no file can have counts as no file."""
        exists = looks.is_file(path)
        self.observations.setdefault(os.fspath(path), exists)
        return exists


def is_still_same(path: str, observation: Observation) -> bool:
    """Return whether a path is as it was observed, whatever limit of sizes the settings set."""
    exists = looks.is_file(path)
    if isinstance(observation, bool) or not exists:
        return exists == observation
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == observation
    except OSError:
        return False
