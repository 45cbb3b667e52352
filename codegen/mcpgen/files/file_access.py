"""What a run reads: every file that it opens, and every place where it looks for one, is remembered."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from mcpgen.files.input_files import PathOutsideProject, is_within, read_input

DEFINITION_SUFFIXES = (".json", ".yaml", ".yml")
"""Definitions."""
TEMPLATE_SUFFIX = ".content.j2"
"""Content templates."""

Observation: TypeAlias = "str | bool"
"""What was seen at a path: the SHA-256 of the bytes that were read there, or whether there is a file."""


MAX_FILE_SIZE = 16 * 2**20
"""Bytes in one input file, where the settings say nothing else."""


class FileTracker:
    """Reads files, and keeps what it saw, by path.

    Files outside of the `roots`, which hold no links, are not read; None: all may be. Nor is a file of more than `most`
    bytes.
    """

    def __init__(self, roots: tuple[Path, ...] | None = None, most: int = MAX_FILE_SIZE) -> None:
        self._roots, self._most = roots, most
        self.bytes_read = 0
        self.seen: dict[str, Observation] = {}
        self._part: dict[str, Observation] | None = None

    @contextmanager
    def track_part(self) -> Generator[dict[str, Observation]]:
        """What is seen from here on, to the end of the block, for itself as well."""
        self._part = {}
        try:
            yield self._part
        finally:
            self._part = None

    def note(self, path: Path | str) -> None:
        """Say that a part depends on what was seen at a path before."""
        name = os.fspath(path)
        if self._part is not None and name in self.seen:
            self._part[name] = self.seen[name]

    def is_unchanged(self, path: str, seen: Observation) -> bool:
        """Whether a path shows what was seen there before this run; each is looked at once."""
        if isinstance(seen, bool):
            return bool(self.seen.setdefault(path, os.path.isfile(path))) == seen
        if not isinstance(self.seen.get(path), str):
            with contextlib.suppress(OSError):
                self.read(path)
        return self.seen.get(path) == seen

    def read(self, path: Path | str) -> bytes:
        """The bytes of a file.

        Raises:
            Outside: it lies outside of the project.
            OSError: it cannot be read, as `read_input` has it.
        """
        name = os.fspath(path)
        self.seen[name] = False
        if self._roots is not None and not is_within(path, self._roots):
            raise PathOutsideProject(name)
        data = read_input(path, self._most)
        self.bytes_read += len(data)
        self.seen[name] = hashlib.sha256(data).hexdigest()
        self.note(name)
        return data

    def is_file(self, path: Path | str) -> bool:
        """Whether there is a file; there is none under a name that no file can have."""
        found = os.path.isfile(path)
        self.seen.setdefault(os.fspath(path), found)
        self.note(path)
        return found


def is_still_same(path: str, seen: Observation) -> bool:
    """Whether a path shows what was seen there."""
    if isinstance(seen, bool):
        return os.path.isfile(path) == seen
    try:
        return os.path.isfile(path) and hash_file(path) == seen
    except OSError:
        return False


def hash_file(path: str, most: int = MAX_FILE_SIZE) -> str:
    """The SHA-256 of a file's bytes, in hex.

    Raises:
        OSError: it cannot be read, as `read_input` has it.
    """
    return hashlib.sha256(read_input(path, most)).hexdigest()


def find_candidates(root: Path, out: Path, failed: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """The paths below a folder that are called like definitions or content templates; nothing hidden, no link followed.

    What is generated, `out`, defines nothing when it lies within. A folder that cannot be listed is told to `failed`.
    However deep the folders are, this does not recurse.
    """
    generated = os.path.abspath(out)
    waiting = [os.fspath(root)]
    while waiting:
        folder = waiting.pop()
        inner: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(entry.path)
                    elif entry.name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) and not os.path.isdir(entry.path):
                        yield entry.path
        except OSError as error:
            if failed is not None:
                failed(error)
        waiting += [path for path in sorted(inner, reverse=True) if os.path.abspath(path) != generated]
