"""Definitions of files that were read before, valid while everything that they depend on is unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcpgen.cache.store import Store, make_key
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.settings_table import CachedResult
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_tracker import FileTracker, Observation
from mcpgen.read.definitions import Definitions
from mcpgen.read.document import SourceDocument
from mcpgen.read.input_files import InputFile
from mcpgen.read.parse import load_document

_KIND = "definitions"


@dataclass(frozen=True)
class FileDefinitions:
    """Definitions of one input file, and everything that was observed while it was read."""

    observations: Mapping[str, Observation]
    """What was seen at each path that the definitions depend on."""
    targets: Mapping[str, str]
    """Where each of the files that were read is, without links: none of them may come to lie outside of its folder."""
    definitions: Definitions
    findings: tuple[Diagnostic, ...]
    templates: frozenset[Path]
    """The content templates that its tools use."""


class FileCache:
    """Definitions of the files of a package that the store has.

    An entry has no documents. A document is read again if a place in it is needed, for a message.

    Args:
        store: the store.
        package: the package.
        disk: reads the files.
    """

    def __init__(self, store: Store, package: ConfiguredPackage, disk: FileTracker) -> None:
        settings = package.settings.select(CachedResult.DEFINITIONS)
        self._store, self._disk, self._limits = store, disk, package.settings.limits
        self._reading = repr((os.getcwd(), package.folder, package.file, package.roots, package.inputs, settings))
        self._documents: dict[object, SourceDocument] = {}

    def find(self, file: InputFile) -> FileDefinitions | None:
        """Return the definitions of a file, None if it has to be read."""
        if not self._store.is_used or (key := self._make_key(file)) is None:
            return None
        known = self._store.get(_KIND, key, FileDefinitions, self._load_document)
        if known is None or not all(self._disk.is_unchanged(*item) for item in known.observations.items()):
            return None
        is_same_place = all(self._disk.resolve(path) == target for path, target in known.targets.items())
        return known if is_same_place and self._disk.count_known(known.targets, self._limits.total_size) else None

    def keep(
        self,
        file: InputFile,
        definitions: Definitions,
        observations: Mapping[str, Observation],
        findings: Iterable[Diagnostic],
        templates: Iterable[Path],
    ) -> None:
        """Store the definitions of a file, and what else came of reading it; see `FileDefinitions`."""
        if self._store.is_used and (key := self._make_key(file)) is not None:
            targets = {path: self._disk.resolve(path) for path, seen in observations.items() if isinstance(seen, str)}
            known = FileDefinitions(observations, targets, definitions, tuple(findings), frozenset(templates))
            self._store.put(_KIND, key, known, _describe_document)

    def _make_key(self, file: InputFile) -> str | None:
        """Return the key of a file's definitions: its content, and how it is read; None if it cannot be read."""
        digest = self._disk.find_digest(str(file.path))
        return None if digest is None else make_key(_KIND, self._reading, repr(file), digest)

    def _load_document(self, reference: tuple[Path, str, bool]) -> SourceDocument:
        if reference not in self._documents:
            path, name, is_pulled = reference
            reload = partial(_reload, path, name, self._limits)
            self._documents[reference] = SourceDocument(path, name, "", is_pulled=is_pulled, reload=reload)
        return self._documents[reference]


def _describe_document(value: object) -> Any:
    return (value.path, value.name, value.is_pulled) if isinstance(value, SourceDocument) else None


def _reload(path: Path, name: str, limits: Any) -> SourceDocument | None:
    """Return the document of a file that was read before, None if it has become unreadable since."""
    return load_document(path, name, Findings(), limits, FileTracker(most=limits.file_size))
