"""Load input files, JSON or YAML, each once and within the limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mcpgen import paths
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import looks
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import PathOutsideProject
from mcpgen.files.regular_files import FileTooLarge
from mcpgen.files.text_problems import CONFLICT_HELP, explain_encoding, find_merge_conflict
from mcpgen.read import json_parser, yaml_parser
from mcpgen.read.document import OUTSIDE_HELP, SourceDocument
from mcpgen.schema.values import Json, format_pointer, iterate_children

_DEFINITION_MARKERS = re.compile(
    r"\b(inputSchema|outputSchema|input_schema|output_schema|uriTemplate|resourceTemplates)\b|\$(defs|ref)\b"
    r"|json-schema\.org|[\"']?\btype[\"']?\s*:\s*[\"']?(object|array|string|number|integer|boolean|null)\b"
)
"""Text that occurs in definitions and JSON Schemas, and hardly in other files."""


def load_document(
    path: Path, name: str, findings: Findings, limits: Limits, disk: FileTracker | None = None
) -> SourceDocument | None:
    """Return the document of a JSON or YAML file, called `name` in messages, None if it is wrong; that is reported."""
    disk = disk or FileTracker(most=limits.file_size)
    text = read_text(path, name, findings, disk)
    if text is None:
        return None
    if not text.strip():
        help = "write a definition into it, or remove the file"
        findings.error("MG002", "the file is empty", Span(name, 1, 1), help)
        return None
    document = SourceDocument(path, name, text, is_quotable=_DEFINITION_MARKERS.search(text) is not None)
    parse = PARSERS.get(path.suffix, _parse_yaml_document)  # a reference may name any file
    return document if parse(document, findings, limits) else None


def read_text(path: Path, name: str, findings: Findings, disk: FileTracker) -> str | None:
    """Return the text of a file, None if it cannot be read or is not UTF-8; then that is reported."""
    disk.is_file(path)  # recorded even if there is no file
    try:
        data = disk.read(path)
    except FileTooLarge as error:
        findings.error("MG009", str(error.strerror), Span(name), suggest_raising("file-size"))
        return None
    except OSError as error:
        help = OUTSIDE_HELP if isinstance(error, PathOutsideProject) else ""
        findings.error("MG001", f"cannot be read: {error.strerror}", Span(name), help)
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        message, help = explain_encoding(data)
        findings.error("MG002", message, Span(name, line, column), help)
        return None


_QUOTED_TEXT = re.compile(r"\"[^\"]{2,}\"|'[^']{2,}'|(?<=the tag )\S+|^\S+(?= is too large a number)")


def _remove_quotes(message: str, document: SourceDocument) -> str:
    return message if document.is_quotable else _QUOTED_TEXT.sub("…", message)


def parse_json_document(document: SourceDocument, findings: Findings, limits: Limits) -> bool:
    """Set the value of a JSON document; return False, with an error, if there is none."""
    if (count := json_parser.count_values(document.text, limits.values)) > limits.values:
        message = f"{count} values are more than {limits.values}"
        findings.error("MG009", message, Span(document.name, 1, 1), suggest_raising("values"))
        return False
    try:
        document.value = json_parser.parse_json(document.text)
    except json_parser.InvalidJson as error:
        if not _report_conflict(document, findings):
            span = document.make_span_at(*document.locate(error.at))
            findings.error("MG002", _remove_quotes(error.message, document), span, error.help)
        return False
    except json_parser.LoneSurrogate as error:
        message = "a string holds half of a surrogate pair, which UTF-8 has no bytes for"
        help = "write the character itself, or both halves of the pair: \\ud83d\\ude00"
        findings.error("MG002", message, document.make_span(error.pointer), help)
        return False
    if (pointer := find_too_deep(document.value, limits.depth)) is not None:
        message = f"nested more than {limits.depth} levels deep"
        findings.error("MG009", message, document.make_span(pointer), suggest_raising("depth"))
        return False
    return True


def _report_conflict(document: SourceDocument, findings: Findings) -> bool:
    conflict = find_merge_conflict(document.text)
    if conflict is not None:
        findings.error("MG002", str(conflict), document.make_span_at(conflict.first_line, 1), CONFLICT_HELP)
    return conflict is not None


def find_too_deep(value: Json, most: int) -> str | None:
    """Return the pointer of a value nested more than `most` levels deep, None if there is none."""
    level: list[Json] = [value]
    for _ in range(most):
        level = [child for part in level for _, child in iterate_children(part)]
        if not level:
            return None
    stack: list[tuple[Json, int, str]] = [(value, 1, "")]
    while stack:
        part, depth, pointer = stack.pop()
        if depth > most:
            return pointer
        stack.extend((child, depth + 1, pointer + format_pointer(key)) for key, child in iterate_children(part))
    return None


def _parse_yaml_document(document: SourceDocument, findings: Findings, limits: Limits) -> bool:
    try:
        document.value, document.node = yaml_parser.parse_yaml(document.text, limits)
    except yaml_parser.InvalidYaml as error:
        span = document.make_span_at(error.line, error.column)
        if error.limit:
            findings.error("MG009", _remove_quotes(error.message, document), span, suggest_raising(error.limit))
        elif not _report_conflict(document, findings):
            message, help = yaml_parser.explain_yaml_fault(error.message)
            findings.error("MG002", _remove_quotes(message, document), span, help)
        return False
    return True


PARSERS: Mapping[str, Callable[[SourceDocument, Findings, Limits], bool]] = {
    ".json": parse_json_document,
    ".yaml": _parse_yaml_document,
    ".yml": _parse_yaml_document,
}
"""End of a file's name → the function that sets the value of its document, or reports why there is none."""


class DocumentLoader:
    """Loader of the documents of one run; those in the `pulled_folders` belong to `mcpgen pull`."""

    def __init__(
        self, limits: Limits, findings: Findings, disk: FileTracker, pulled_folders: Sequence[Path] = ()
    ) -> None:
        self._limits, self._findings, self._disk = limits, findings, disk
        self._pulled_folders = pulled_folders
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
        if document is not None:
            document.is_pulled = any(map(Path(key).is_relative_to, self._pulled_folders))
        self._documents[key] = document, notes.seen
        return document

    def _exceeds_total(self, path: Path) -> bool:
        if self._disk.bytes_read <= self._limits.total_size:
            return False
        if not self._reported_excess:
            self._reported_excess = True
            help = suggest_raising("total-size")
            message = f"the input files hold more than {self._limits.total_size} bytes in all"
            self._findings.error("MG009", message, Span(paths.format_path(path)), help)
        return True
