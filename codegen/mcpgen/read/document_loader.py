"""Load each file of a run once, within the limit for the bytes of all files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcpgen import paths
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import looks
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.document import SourceDocument
from mcpgen.read.parse import load_document


class DocumentLoader:
    """Loader of the documents of one run."""

    def __init__(self, limits: Limits, findings: Findings, disk: FileTracker) -> None:
        self._limits, self._findings, self._disk = limits, findings, disk
        self._real_paths = looks.PathResolver()
        self._documents: dict[str, tuple[SourceDocument | None, Mapping[looks.Look, str]]] = {}
        """Documents by their paths without links, and what was seen when they were loaded."""
        self._reported_excess = False

    def load(self, path: Path) -> SourceDocument | None:
        """Return the document of a file, None if it cannot be read; that is reported the first time."""
        key = self._real_paths.resolve(path)
        if key in self._documents:
            document, seen = self._documents[key]
            looks.note_again(seen)
            return document
        if self._exceeds_total(path):
            return None
        with looks.take_notes() as notes:
            document = load_document(path, paths.format_path(path), self._findings, self._limits, self._disk)
        document = None if self._exceeds_total(path) else document
        self._documents[key] = document, notes.seen
        return document

    def _exceeds_total(self, path: Path) -> bool:
        """Return whether all files together exceed `limits.total-size`, and report it the first time."""
        if self._disk.bytes_read <= self._limits.total_size:
            return False
        if not self._reported_excess:
            self._reported_excess = True
            help = suggest_raising("total-size")
            message = f"the input files hold more than {self._limits.total_size} bytes in all"
            self._findings.error("MG009", message, Span(paths.format_path(path)), help)
        return True
