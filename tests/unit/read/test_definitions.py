"""Definitions know where their parts are written."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.documents import make_site, read_folder, read_tool, write_files

SCHEMA = Schema({"type": "object"}, DRAFT_2020_12)
SPAN = Span("elsewhere.json", 7, 8)
PLACE = {"type": "object", "properties": {"zip": {"type": "string"}}}


def find_line(folder: Path, file: str, text: str) -> int:
    """The only line of a file with a text."""
    (line,) = (n for n, line in enumerate((folder / file).read_text("utf-8").split("\n"), 1) if text in line)
    return line


def write_indented(folder: Path, file: str, value: object) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(json.dumps(value, indent=1), "utf-8")


def test_a_tool_locates_its_parts(tmp_path: Path) -> None:
    document = make_site(tmp_path, {"tools": [{"inputSchema": {"type": "object"}}]}).document
    tool = ToolDefinition("a", "", SPAN, {}, SCHEMA, None, document=document, at="/tools/0")
    assert tool.locate("/inputSchema/type").pointer == "/tools/0/inputSchema/type"
    assert ToolDefinition("a", "", SPAN, {}, SCHEMA, None).locate("/inputSchema/type") is SPAN


def test_a_bare_schema_is_the_whole_document(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/a.json": {"type": "object"}})
    tool = read_tool(tmp_path, "a")
    assert tool.locate("/outputSchema/type").pointer == "/type"
    assert tool.locate("/inputSchema/type") == tool.span


def test_a_resource_locates_pointers_into_its_payload(tmp_path: Path) -> None:
    resource = {"name": "a", "uri": "x://a", "x-mcpgen": {"schema": {"type": "object"}}}
    write_files(tmp_path, {"schemas/a.json": {"resources": [resource]}})
    (read,) = read_folder(tmp_path)[0].resources
    assert read.locate("/x-mcpgen/schema/type").pointer == "/resources/0/x-mcpgen/schema/type"
    assert read.locate("/uri").pointer == "/resources/0/uri"
    assert ResourceDefinition("a", "", SPAN, {}).locate("/uri") is SPAN


def test_what_was_copied_from_another_file_is_located_there(tmp_path: Path) -> None:
    shared = {"$defs": {"Outer": {"items": {"$ref": "#/$defs/Place"}}, "Place": PLACE}}
    write_indented(tmp_path, "schemas/common.json", shared)
    own = {"properties": {"own": {"$ref": "#/$defs/Own"}, "all": {"$ref": "common.json#/$defs/Outer"}}}
    schema = {"type": "object", **own, "$defs": {"Own": {"type": "boolean"}}}
    write_indented(tmp_path, "schemas/a.json", {"name": "a", "inputSchema": schema})
    tool = read_tool(tmp_path, "a")
    span = tool.locate("/inputSchema/$defs/Place/properties/zip/type")
    assert (Path(span.file).name, span.line) == ("common.json", find_line(tmp_path, "schemas/common.json", '"string"'))
    span = tool.locate("/inputSchema/$defs/Outer/items")
    assert (Path(span.file).name, span.line) == ("common.json", find_line(tmp_path, "schemas/common.json", '"items"'))
    span = tool.locate("/inputSchema/$defs/Own/type")
    assert (Path(span.file).name, span.line) == ("a.json", find_line(tmp_path, "schemas/a.json", '"boolean"'))


def test_a_schema_that_the_settings_name_is_located_in_its_file(tmp_path: Path) -> None:
    write_indented(tmp_path, "more/out.json", {"type": "object", "minProperties": 1})
    write_files(tmp_path, {"schemas/a.json": {"name": "a", "inputSchema": {"type": "object"}}})
    settings = PackageSettings.model_validate({"tools": {"a": {"outputSchema": "more/out.json"}}})
    package = ConfiguredPackage(settings=settings, folder=tmp_path)
    (tool,) = read_definitions(package, Findings()).tools
    span = tool.locate("/outputSchema/minProperties")
    assert (Path(span.file).name, span.line) == ("out.json", 3)
