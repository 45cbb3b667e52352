"""Parse a file."""

from __future__ import annotations

import re
from pathlib import Path

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import PathOutsideProject
from mcpgen.files.regular_files import FileTooLarge
from mcpgen.read import json_parser, yaml_parser
from mcpgen.read.document import OUTSIDE_HELP, SourceDocument
from mcpgen.schema.values import Json, format_pointer

_DEFINITION_MARKERS = re.compile(
    r"\b(inputSchema|outputSchema|input_schema|output_schema|uriTemplate|resourceTemplates)\b|\$(defs|ref)\b"
    r"|json-schema\.org|[\"']?\btype[\"']?\s*:\s*[\"']?(object|array|string|number|integer|boolean|null)\b"
)
"""What stands in definitions and JSON Schemas, and hardly in anything else."""


def load_document(
    path: Path, name: str, findings: Findings, limits: Limits, disk: FileTracker | None = None
) -> SourceDocument | None:
    """Read and parse a JSON or YAML file; what is wrong with it goes into `findings`."""
    disk = disk or FileTracker(most=limits.file_size)
    disk.is_file(path)  # so that it is known to be wanted, also where there is none
    try:
        data = disk.read(path)
    except FileTooLarge as error:
        findings.error("MG009", str(error.strerror), Span(name), _suggest_raising("file-size"))
        return None
    except OSError as error:
        help = OUTSIDE_HELP if isinstance(error, PathOutsideProject) else ""
        findings.error("MG001", f"cannot be read: {error.strerror}", Span(name), help)
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        findings.error(
            "MG002", "not valid UTF-8", Span(name, line, column), help="save the file as UTF-8, without other bytes"
        )
        return None
    document = SourceDocument(path, name, text, known=_DEFINITION_MARKERS.search(text) is not None)
    ok = (
        _parse_json_document(document, findings, limits)
        if path.suffix == ".json"
        else _parse_yaml_document(document, findings, limits)
    )
    return document if ok else None


def _suggest_raising(limit: str) -> str:
    return f"raise `limits.{limit}` in the settings if this is meant"


_QUOTED_TEXT = re.compile(r"\"[^\"]{2,}\"|'[^']{2,}'|(?<=the tag )\S+|^\S+(?= is too large a number)")


def _redact_quotes(message: str, document: SourceDocument) -> str:
    """A message without what it quotes of a file that may be any file."""
    return message if document.known else _QUOTED_TEXT.sub("…", message)


def _parse_json_document(document: SourceDocument, findings: Findings, limits: Limits) -> bool:
    if (count := json_parser.count_values(document.text, limits.values)) > limits.values:
        message = f"{count} values are more than {limits.values}"
        findings.error("MG009", message, Span(document.name, 1, 1), _suggest_raising("values"))
        return False
    try:
        document.value = json_parser.parse_json(document.text)
    except json_parser.InvalidJson as error:
        span = document.make_span_at(*document.locate(error.at))
        findings.error("MG002", _redact_quotes(error.message, document), span, error.help)
        return False
    except json_parser.LoneSurrogate as error:
        message = "a string holds a lone surrogate, which no UTF-8 can say"
        findings.error("MG002", message, document.make_span(error.pointer))
        return False
    if (deep := _find_too_deep(document.value, limits.depth)) is not None:
        message = f"nested more than {limits.depth} levels deep"
        findings.error("MG009", message, document.make_span(deep), _suggest_raising("depth"))
        return False
    return True


def _find_too_deep(value: Json, most: int) -> str | None:
    """The pointer of a value that lies more than so many levels deep, None if there is none."""
    level: list[Json] = [value]
    for _ in range(most):
        inner = [held.values() if isinstance(held, dict) else held for held in level if isinstance(held, dict | list)]
        level = [child for held in inner for child in held]
        if not level:
            return None
    stack: list[tuple[Json, int, str]] = [(value, 1, "")]
    while stack:
        held, depth, at = stack.pop()
        if depth > most:
            return at
        if isinstance(held, dict):
            stack.extend((child, depth + 1, at + format_pointer(key)) for key, child in held.items())
        elif isinstance(held, list):
            stack.extend((child, depth + 1, at + format_pointer(index)) for index, child in enumerate(held))
    return None


def _parse_yaml_document(document: SourceDocument, findings: Findings, limits: Limits) -> bool:
    try:
        document.value, document.node = yaml_parser.parse_yaml(document.text, limits)
    except yaml_parser.InvalidYaml as error:
        span = document.make_span_at(error.line, error.column)
        code, help = ("MG009", _suggest_raising(error.limit)) if error.limit else ("MG002", "")
        findings.error(code, _redact_quotes(error.message, document), span, help)
        return False
    return True
