"""Definitions of files that were read before, valid while everything that they depend on is unchanged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcpgen.cache.recorded_runs import repeat_look
from mcpgen.cache.store import Store, make_key
from mcpgen.config.models import CachedResult, ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.looks import Look, Notes
from mcpgen.read.definitions import Definitions
from mcpgen.read.document import SourceDocument
from mcpgen.read.input_files import InputFile
from mcpgen.read.parse import load_document

_KIND = "definitions"


@dataclass(frozen=True)
class FileDefinitions:
    """Definitions of one input file, and everything that was seen on the disk while it was read."""

    seen: Mapping[Look, str]
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
        notes: what this reading sees.
    """

    def __init__(self, store: Store, package: ConfiguredPackage, disk: FileTracker, notes: Notes) -> None:
        settings = package.settings.select(CachedResult.DEFINITIONS)
        self._store, self._disk, self._limits = store, disk, package.settings.limits
        self._reading = repr((os.getcwd(), package.folder, package.file, package.roots, package.inputs, settings))
        self._notes = notes
        self._documents: dict[object, SourceDocument] = {}

    def find(self, file: InputFile) -> FileDefinitions | None:
        """Return the definitions of a file, None if it has to be read."""
        if not self._store.is_used or (key := self._make_key(file)) is None:
            return None
        known = self._store.get(_KIND, key, FileDefinitions, self._load_document)
        if known is None or not all(self._look(look) == result for look, result in known.seen.items()):
            return None
        read = [path for kind, path, _ in known.seen if kind == "content"]
        return known if self._disk.count_known(read, self._limits.total_size) else None

    def _look(self, look: Look) -> str:
        """Return what a look sees now. Each is made once in a run."""
        seen = self._disk.repeat(look) or self._notes.seen.get(look)
        return repeat_look(look) if seen is None else seen

    def keep(self, file: InputFile, definitions: FileDefinitions) -> None:
        """Store the definitions of a file."""
        if self._store.is_used and (key := self._make_key(file)) is not None:
            for tool in definitions.definitions.tools:  # the entry has what is derived from them
                _ = tool.has_object_result, *(schema.digest for schema in tool.schemas.values())
            self._store.put(_KIND, key, definitions, _describe_document)

    def _make_key(self, file: InputFile) -> str | None:
        """Return the key of a file's definitions: its content, and how it is read; None if it cannot be read."""
        digest = self._disk.find_digest(str(file.path))
        return (
            None
            if digest is None
            else make_key(_KIND, self._reading, str(file.path), str(file.root), file.origin, digest)
        )

    def _load_document(self, reference: tuple[str, str, bool]) -> SourceDocument:
        if reference not in self._documents:
            path, name, is_pulled = Path(reference[0]), *reference[1:]
            reload = partial(_reload, path, name, self._limits)
            self._documents[reference] = SourceDocument(path, name, "", is_pulled=is_pulled, reload=reload)
        return self._documents[reference]


def _describe_document(value: object) -> Any:
    return (str(value.path), value.name, value.is_pulled) if isinstance(value, SourceDocument) else None


def _reload(path: Path, name: str, limits: Any) -> SourceDocument | None:
    """Return the document of a file that was read before, None if it has become unreadable since."""
    return load_document(path, name, Findings(), limits, FileTracker(most=limits.file_size))
