"""Documents and definitions of small input folders, for the tests of the readers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
from hypothesis import strategies as st
from mcpgen.config.models import ConfiguredPackage, Limits, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.input_files import InputFile
from mcpgen.read.loader import read_definitions
from mcpgen.read.parse import DocumentLoader, load_document
from mcpgen.read.validation import MemberChecker, load_builtin_protocol
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS

LIMITS = Limits.model_validate({})


def parse_document(folder: Path, text: str | bytes, name: str = "input.json") -> SourceDocument:
    """Return the document that this text is; it has to be free of findings."""
    findings = Findings()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    document = load_document(folder / name, name, findings, LIMITS)
    assert document is not None, list(findings)
    assert not list(findings)
    document.is_quotable = True
    return document


def list_refusals(folder: Path, text: str | bytes, name: str = "input.json") -> list[tuple[str, int, int]]:
    """Return the (message, line, column) of each finding about a text that cannot be read."""
    findings = Findings()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert load_document(folder / name, name, findings, LIMITS) is None
    return [
        (finding.message, finding.span.line, finding.span.column) for finding in findings if finding.span is not None
    ]


def find_position(text: str, needle: str, occurrence: int = 1) -> tuple[int, int]:
    """Return the (line, column) of a marker in a text, counted from 1 in characters."""
    offset = -1
    for _ in range(occurrence):
        offset = text.index(needle, offset + 1)
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def make_validator(schema: Json, dialect: str) -> Any:
    """An independent reading of a schema."""
    kind = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    return kind(cast(Any, schema), validate_formats=False)


def get_position(span: Span) -> tuple[int, int]:
    return span.line, span.column


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


OBJECT: Json = {"type": "object"}


def props(**properties: Json) -> dict[str, Any]:
    return {"type": "object", "properties": {**properties}}


def ref(target: str) -> dict[str, Any]:
    return {"$ref": target}


def write_files(folder: Path, files: Mapping[str, Any]) -> None:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value), "utf-8")


def read_folder(folder: Path, ref_map: dict[str, str] | None = None) -> tuple[Definitions, Findings]:
    chosen = PackageSettings.model_validate({"ref-map": ref_map or {}})
    findings = Findings()
    return read_definitions(ConfiguredPackage(settings=chosen, folder=folder), findings), findings


def read_tool(folder: Path, name: str, ref_map: dict[str, str] | None = None) -> ToolDefinition:
    """A tool of the folder, which has to be free of findings."""
    definitions, findings = read_folder(folder, ref_map)
    assert not list(findings)
    return next(tool for tool in definitions.tools if tool.name == name)


def make_context(folder: Path, **settings: Any) -> ReadContext:
    """A context for the readers, with findings of its own."""
    chosen, findings = PackageSettings.model_validate(settings), Findings()
    disk, limits = FileTracker(), chosen.limits
    return ReadContext(
        ConfiguredPackage(settings=chosen, folder=folder),
        findings,
        disk,
        DocumentLoader(limits, findings, disk),
        TemplateCatalog(folder, limits, findings, disk),
        MemberChecker(load_builtin_protocol(PROTOCOLS[-1])),
    )


def make_site(folder: Path, value: Json, pointer: str = "", name: str = "schemas/a.json") -> DefinitionSite:
    """Return the place of a definition in a file with this value."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    document = SourceDocument(path, name, json.dumps(value), value)
    return DefinitionSite(document, pointer, InputFile(path, folder / "schemas", name))


def list_messages(findings: Findings) -> list[tuple[str, str]]:
    """Return the code and the message of each finding."""
    return [(finding.code, finding.message) for finding in findings]
