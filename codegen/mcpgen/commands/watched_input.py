"""Files and folders that the last build depends on, for `watch`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mcpgen.config.load import SETTINGS_FILES
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import is_still_same
from mcpgen.files.journal import is_staging_name
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.outcome import Outcome

FileIdentity = str | None
"""Device, inode, mode, owner, size and times of a file, as one text; None if there is none at its path."""
CHANGED_IDENTITY: FileIdentity = ""
"""Identity that differs from that of every file."""


@dataclass(frozen=True)
class WatchedInput:
    """Input of the last build: the packages with their settings, and what their outcomes observed."""

    packages: Sequence[ConfiguredPackage] = ()
    outcomes: Sequence[Outcome] = ()

    def get_identities(self) -> dict[str, FileIdentity]:
        """Return the identity of every file that was read or looked for, or that the next build would read, by path.

        The system does not report every change: it misses a file that replaces another one while the last changes are
        fetched, files behind links, and files on another machine's disk.
        """
        paths = self.list_read_files() | {os.path.abspath(name) for name in SETTINGS_FILES}
        for root in self._list_roots():
            for folder, subfolders, names in os.walk(root):
                subfolders[:] = [name for name in subfolders if not name.startswith(".")]
                candidates = [os.path.join(folder, name) for name in names if _is_input_name(name)]
                paths.update(path for path in candidates if not self._is_output(path))
        return {path: _get_identity(path) for path in paths}

    def get_built_identities(self, before: dict[str, FileIdentity]) -> dict[str, FileIdentity]:
        """Return the identities of the files as the last build read them; `before` are those from before that build.

        A file that has changed since the build read it gets an identity that differs from its present one.
        """
        identities = {path: before.get(path, now) for path, now in self.get_identities().items()}
        for outcome in self.outcomes:
            for path, observation in outcome.observed.items():
                if os.path.abspath(path) not in before and not is_still_same(path, observation):
                    identities[os.path.abspath(path)] = CHANGED_IDENTITY
        return identities

    def find_folders(self) -> frozenset[tuple[str, int]]:
        """Return the folders to watch, each with its inode, which tells a folder from a later one of the same name."""
        folders = {os.getcwd(), *(_find_existing_folder(os.path.dirname(path)) for path in self.list_read_files())}
        for root in self._list_roots():
            folders.add(_find_existing_folder(os.path.dirname(root)))
            for folder, subfolders, _ in os.walk(root):
                subfolders[:] = [name for name in subfolders if not name.startswith(".")]
                folders.add(folder)
        existing: set[tuple[str, int]] = set()
        for folder in folders:
            with contextlib.suppress(OSError):  # it was removed in between, which a change of its parent reports
                existing.add((folder, os.stat(folder).st_ino))
        return frozenset(existing)

    def is_any_relevant(self, changed_paths: Iterable[str], watched_folders: Collection[str]) -> bool:
        """Check whether a build after these changes may have another result."""
        read_files, roots = self.list_read_files(), self._list_roots()
        return any(self._is_relevant(path, watched_folders, read_files, roots) for path in changed_paths)

    def _is_relevant(self, path: str, watched_folders: Collection[str], read_files: set[str], roots: list[str]) -> bool:
        name = os.path.basename(path)
        if path in read_files or any(_contains_path(path, dependency) for dependency in (*roots, *read_files)):
            return True
        if name in SETTINGS_FILES:
            return os.path.dirname(path) == os.getcwd()
        if name.startswith(".") or self._is_output(path) or not any(_contains_path(root, path) for root in roots):
            return False
        return name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) or path in watched_folders or os.path.isdir(path)

    def _is_output(self, path: str) -> bool:
        for outcome in self.outcomes:
            out = os.path.abspath(outcome.out)
            relative = format_relative_path(path, out)
            texts: Collection[str] = outcome.generated.texts if outcome.generated is not None else ()
            if _contains_path(out, path) and (is_staging_name(relative.partition("/")[0]) or relative in texts):
                return True
        return False

    def _list_roots(self) -> list[str]:
        return [os.path.abspath(path) for package in self.packages for path in package.inputs]

    def list_read_files(self) -> set[str]:
        """Return the absolute path of every file that was read or looked for, with the settings files."""
        files = self.list_observed_files()
        return files | {os.path.abspath(package.file) for package in self.packages if package.file is not None}

    def list_observed_files(self) -> set[str]:
        """Return the absolute path of every file that was read or looked for."""
        return {os.path.abspath(path) for outcome in self.outcomes for path in outcome.observed}

    def is_unchanged(self) -> bool:
        """Check that everything that the build observed is still the same."""
        observations = [item for outcome in self.outcomes for item in outcome.observed.items()]
        return all(is_still_same(path, observation) for path, observation in observations)


def _is_input_name(name: str) -> bool:
    return name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) and not name.startswith(".")


def _get_identity(path: str) -> FileIdentity:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    facts = (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size)
    return " ".join(map(str, (*facts, status.st_mtime_ns, status.st_ctime_ns)))


def _contains_path(outer: str, path: str) -> bool:
    """Check whether a path equals another one or is in it."""
    return path == outer or path.startswith(outer.rstrip(os.sep) + os.sep)


def _find_existing_folder(folder: str) -> str:
    """Return a folder, or its nearest ancestor that exists."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
