"""Definitions of files that this process has read before, valid while everything that they depend on is unchanged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.settings_table import CachedResult
from mcpgen.diagnostics import Diagnostic
from mcpgen.files.file_tracker import FileTracker, Observation
from mcpgen.read.definitions import Definitions
from mcpgen.read.input_files import InputFile


@dataclass(frozen=True)
class FileDefinitions:
    """Definitions of one input file, and everything that was observed while it was read."""

    file: InputFile
    observations: Mapping[str, Observation]
    """What was seen at each path that the definitions depend on."""
    definitions: Definitions
    findings: tuple[Diagnostic, ...]
    templates: frozenset[Path]
    """The content templates that its tools use."""


class FileCache:
    """Definitions of the files of a package. They are valid for one reading key (see `make_reading_key`)."""

    def __init__(self) -> None:
        self._reading_key = ""
        self._previous: dict[str, FileDefinitions] = {}
        self._current: dict[str, FileDefinitions] = {}

    def start_run(self, reading_key: str) -> None:
        """Start a run. Drop what the last run didn't use, and everything if the key is another one."""
        self._previous = self._current if reading_key == self._reading_key else {}
        self._reading_key, self._current = reading_key, {}

    def get_unchanged(self, path: Path, disk: FileTracker) -> FileDefinitions | None:
        """Return the definitions of a file, None when it has to be read."""
        cached = self._previous.get(str(path))
        if cached is None or not all(
            disk.is_unchanged(seen_path, sight) for seen_path, sight in cached.observations.items()
        ):
            return None
        self._current[str(path)] = cached
        return cached

    def keep(self, file_definitions: FileDefinitions) -> None:
        """Remember the definitions of a file."""
        self._current[str(file_definitions.file.path)] = file_definitions

    def list_kept(self) -> list[FileDefinitions]:
        """Return the definitions of the files of this run."""
        return [*self._current.values()]


def make_reading_key(package: ConfiguredPackage, inputs: list[Path]) -> str:
    """Return the key of what is read from a package's files: all that it depends on, except for the files."""
    settings = package.settings.select(CachedResult.DEFINITIONS)
    return repr((os.getcwd(), package.folder, package.file, package.roots, inputs, settings))
