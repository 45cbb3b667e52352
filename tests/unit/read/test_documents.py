"""Documents, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, Limits, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.definition_files import LEARNED_FOLDER
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.document import MAX_LINE_LENGTH, SourceDocument
from mcpgen.read.input_files import InputFile, InputFileFinder, find_own_folder, is_pulled
from mcpgen.read.json_parser import LineIndex
from mcpgen.read.parse import DocumentLoader
from mcpgen.read.recognition import explain_foreign_document, explain_shape
from support.documents import list_messages


# --- spans of a document: with their line where that may be quoted, shortened where it is long ------------------------
def make_document(text: str, quotable: bool = True) -> SourceDocument:
    return SourceDocument(Path("a.json"), "a.json", text, json.loads(text), quotable)


def test_a_span_quotes_its_line() -> None:
    span = make_document('{\n "a": [1, 22]\n}').make_span("/a/1")
    assert (span.line, span.column, span.pointer, span.text) == (2, 11, "/a/1", ' "a": [1, 22]')


def test_a_file_that_may_be_any_file_is_not_quoted() -> None:
    span = make_document('{"a": 1}', False).make_span("/a")
    assert (span.line, span.column, span.pointer, span.text) == (1, 7, "", "")


def test_a_long_line_is_cut_around_the_column() -> None:
    text = json.dumps({"a": "x" * 1_000, "b": 12345})
    span = make_document(text).make_span("/b")
    assert len(span.text) == MAX_LINE_LENGTH
    assert span.text[span.column - span.start :].startswith("12345")


def test_lines_are_counted_from_1() -> None:
    document = make_document("[\r\n1]")
    assert [LineIndex(document.text).get_line(number) for number in (0, 1, 2, 3)] == ["", "[", "1]", ""]
    assert document.locate(3) == (2, 1)


# --- each file is loaded once, and all files together are limited -----------------------------------------------------
def make_loader(**limits: int) -> tuple[DocumentLoader, Findings, FileTracker]:
    findings, disk = Findings(), FileTracker()
    return DocumentLoader(Limits.model_validate(limits), findings, disk), findings, disk


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": "object"}', "utf-8")
    (tmp_path / "link.json").symlink_to("a.json")
    loader, findings, disk = make_loader()
    document = loader.load(tmp_path / "a.json")
    assert document is not None
    assert loader.load(tmp_path / "link.json") is document
    assert disk.bytes_read == len('{"type": "object"}')
    assert not list(findings)


def test_a_wrong_file_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", "utf-8")
    loader, findings, _ = make_loader()
    assert [loader.load(tmp_path / "a.json") for _ in range(2)] == [None, None]
    assert [finding.code for finding in findings] == ["MG002"]


def test_all_files_together_are_limited(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.json").write_text("[1, 2]", "utf-8")
    loader, findings, _ = make_loader(**{"total-size": 7})
    loaded = [loader.load(tmp_path / f"{name}.json") is not None for name in "abc"]
    assert loaded == [True, False, False]
    assert list_messages(findings) == [("MG009", "the input files hold more than 7 bytes in all")]


# --- documents that are taken for definitions are recognized ----------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"openapi": "3.0.0", "paths": {}}, "OpenAPI"),
        ({"swagger": "2.0"}, "OpenAPI"),
        ({"mcpServers": {}} | {"mcpServers": {"a": {}}}, "configuration"),
        ({"servers": {"a": {}}, "inputs": []}, "configuration"),
        ({"name": "a", "version": "1", "scripts": {}}, "package.json"),
        ({"type": "function", "function": {}}, "function"),
        ({"name": "a", "parameters": {}}, "function"),
    ],
)
def test_known_documents(value: Any, name: str) -> None:
    explained = explain_foreign_document(value)
    assert explained is not None
    assert name in explained[0]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "object"},
        {"type": "object", "properties": {"openapi": {"type": "string"}}},
        {"name": "a", "inputSchema": {"type": "object"}},
        {"servers": {"a": {}}, "other": 1},
    ],
)
def test_definitions_are_not_taken_for_them(value: Any) -> None:
    assert explain_foreign_document(value) is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"a": 1, "b": "c"}, "a value"),
        ({"a": 1, "b": {"c": 2}}, "a value"),
        ({"a": {"type": "string"}}, "properties"),
        ({"a": {"inputSchema": {}}}, "by name"),
    ],
)
def test_shapes(value: Any, name: str) -> None:
    explained = explain_shape(value)
    assert explained is not None
    assert name in explained[0]


@pytest.mark.parametrize("value", [{}, {"a": {"b": 1}}, {"minLength": 1}, {"a": 1, "b": {"type": "string"}}])
def test_other_shapes_are_not_guessed(value: Any) -> None:
    assert explain_shape(value) is None


# --- input files are found once, in one order, and what is wrong with an input is reported ----------------------------
def find(folder: Path, *inputs: str, **settings: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the origins of the files that are found, and the findings."""
    package = ConfiguredPackage(
        settings=PackageSettings.model_validate({"schemas": [*inputs], **settings}), folder=folder
    )
    findings, disk = Findings(), FileTracker()
    templates = TemplateCatalog(folder, package.settings.limits, findings, disk)
    finder = InputFileFinder(package, findings, disk, templates)
    return [file.origin for file in finder.find_files()], list_messages(findings)


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_files_are_found_once_in_the_order_of_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "schemas/b.json", "schemas/a/c.yaml", "schemas/d.txt", "one.yml")
    assert find(tmp_path, "schemas", "one.yml", "schemas/b.json") == (
        ["schemas/a/c.yaml", "schemas/b.json", "one.yml"],
        [],
    )


def test_wrong_inputs_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "generated/x.json")
    actual, messages = find(tmp_path, "a.txt", "nothing", "generated")
    assert actual == []
    assert messages == [
        ("MG001", "not a JSON or YAML file"),
        ("MG001", "no such file or folder"),
        ("MG302", "the package would be among its definitions"),
    ]


def test_links_out_of_the_folder_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "secret.json", "schemas/a.json")
    (tmp_path / "schemas" / "b.json").symlink_to(tmp_path / "secret.json")
    assert find(tmp_path, "schemas") == (["schemas/a.json"], [("MG001", "is a link out of the input folder")])


def test_the_number_of_files_is_limited(tmp_path: Path) -> None:
    write(tmp_path, *(f"schemas/{number}.json" for number in range(5)))
    actual, messages = find(tmp_path, "schemas", limits={"files": 3})
    assert len(actual) == 3
    assert messages == [("MG009", "more than 3 input files")]


def test_pulled_files_are_told_by_their_folder() -> None:
    assert is_pulled(InputFile(Path("schemas/pulled/a.json"), Path("schemas"), ""))
    assert is_pulled(InputFile(Path("pulled/a.json"), Path("pulled"), ""))
    assert not is_pulled(InputFile(Path("schemas/inner/pulled/a.json"), Path("schemas"), ""))


def test_what_was_learned_is_no_input(tmp_path: Path) -> None:
    """Schemas that only the settings name; a folder of that name elsewhere is one like any other."""
    write(tmp_path, "schemas/a.json", "schemas/learned/b.json", "schemas/learned/c/d.yaml", "schemas/e/learned/f.json")
    assert find(tmp_path, "schemas") == (["schemas/a.json", "schemas/e/learned/f.json"], [])
    assert find(tmp_path, "schemas/learned/b.json") == (["b.json"], [])


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        (["definitions"], "definitions/learned"),
        (["tools.json", "definitions"], "definitions/learned"),
        (["a/learned"], "a/learned"),
        (["a/learned/b.json"], "a/learned"),
    ],
)
def test_the_folder_of_a_command(tmp_path: Path, schemas: list[str], expected: str) -> None:
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": schemas}), folder=tmp_path)
    assert find_own_folder([package], LEARNED_FOLDER) == tmp_path / expected


def test_the_folder_of_a_command_without_settings() -> None:
    assert find_own_folder([], LEARNED_FOLDER) == Path("schemas/learned")
