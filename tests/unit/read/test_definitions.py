"""Definitions of a package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.context import ReadContext
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.documents import OBJECT, make_context, make_site, read_folder, read_tool, write_files

# --- definitions know where their parts are written -------------------------------------------------------------------
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


# --- all definitions of a folder, each file once, in one order --------------------------------------------------------
def test_definitions_come_out_sorted_whatever_the_files(tmp_path: Path) -> None:
    tools: Json = [{"name": name, "inputSchema": OBJECT} for name in ("zeta", "Alpha", "mu")]
    write_files(tmp_path, {"schemas/z.json": tools, "schemas/a/b.json": {"name": "beta", "inputSchema": OBJECT}})
    actual, findings = read_folder(tmp_path)
    assert [tool.name for tool in actual.tools] == ["Alpha", "beta", "mu", "zeta"]
    assert [tool.origin for tool in actual.tools] == [
        "schemas/z.json",
        "schemas/a/b.json",
        "schemas/z.json",
        "schemas/z.json",
    ]
    assert not list(findings)


def test_one_file_through_two_arguments_is_read_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/a.json": {"name": "a", "inputSchema": OBJECT}})
    findings = Findings()
    settings = PackageSettings.model_validate({"schemas": ["schemas", "schemas/a.json", "schemas/../schemas"]})
    definitions = read_definitions(ConfiguredPackage(settings=settings, folder=tmp_path), findings)
    assert [tool.name for tool in definitions.tools] == ["a"]
    assert not list(findings)


# --- a site makes spans relative to a definition ----------------------------------------------------------------------
def test_a_site_descends_into_its_definition(tmp_path: Path) -> None:
    site = make_site(tmp_path, {"tools": [{"a/b": {"c": 1}}]}, "/tools/0").descend("a/b")
    assert site.pointer == "/tools/0/a~1b"
    assert (site.make_span().column, site.make_span("/c").column, site.make_span("", "c").column) == (20, 26, 21)
    assert site.make_span("", "c").pointer == "/tools/0/a~1b/c"


def test_mapped_folders_are_relative_to_the_settings(tmp_path: Path) -> None:
    context: ReadContext = make_context(tmp_path, **{"ref-map": {"https://a/": "vendor"}})
    assert context.ref_map == (("https://a/", tmp_path / "vendor"),)


# --- one mistake in a definition is one finding: what follows from it is not reported as well -------------------------
def make_tool(**members: Any) -> dict[str, Any]:
    return {"name": "a", "inputSchema": OBJECT, **members}


def make_output(properties: Any, **keywords: Any) -> dict[str, Any]:
    return make_tool(outputSchema={"type": "object", "properties": properties, **keywords})


REF: dict[str, Any] = {"x": {"$ref": "#/$defs/X"}}


@pytest.mark.parametrize(
    ("tool", "code", "pointer"),
    [
        (make_tool(inputSchema=[]), "MG101", "/inputSchema"),
        (make_tool(inputSchema="object"), "MG101", "/inputSchema"),
        (make_tool(inputSchema={"type": "objct"}), "MG101", "/inputSchema/type"),
        (make_tool(inputSchema={"type": "object", "$schema": 3}), "MG102", "/inputSchema/$schema"),
        (make_tool(inputSchema={"type": "array"}), "MG004", "/inputSchema/type"),
        (make_tool(outputSchema=None), "MG101", "/outputSchema"),
        ({"nme": "a", "inputSchema": OBJECT}, "MG005", "/nme"),
        (make_output(REF, **{"$defs": "X"}), "MG101", "/outputSchema/$defs"),
        (make_output(REF, **{"$defs": []}), "MG101", "/outputSchema/$defs"),
        (make_output(REF, **{"$defs": {"X": "string"}}), "MG101", "/outputSchema/$defs/X"),
        (
            make_output({**REF, "y": REF["x"]}, **{"$defs": {"X": {"type": "strng"}}}),
            "MG101",
            "/outputSchema/$defs/X/type",
        ),
        (make_output(REF, **{"$defs": {"Y": {}}}), "MG103", "/outputSchema/properties/x/$ref"),
        (
            make_output({"x": {"$ref": "#/models/X"}}, models={"X": {"type": "strng"}}),
            "MG101",
            "/outputSchema/models/X/type",
        ),
        (
            make_output({"x": {"$ref": "#/properties/y/items"}, "y": {"type": "array", "items": [{"type": "string"}]}}),
            "MG101",
            "/outputSchema/properties/y/items",
        ),
    ],
)
def test_a_mistake_of_a_tool(tmp_path: Path, tool: dict[str, Any], code: str, pointer: str) -> None:
    write_files(tmp_path, {"schemas/a.json": {"tools": [tool]}})
    _, findings = read_folder(tmp_path)
    found = [(item.code, item.span.pointer if item.span else None) for item in findings.sorted()]
    assert found == [(code, f"/tools/0{pointer}")]


def test_two_mistakes_are_two_findings(tmp_path: Path) -> None:
    wrong = make_output({"x": {"pattern": "("}, "y": {"type": "string", "pattern": "["}}, required=3)
    write_files(tmp_path, {"schemas/a.json": {**wrong, "description": 4}})
    _, findings = read_folder(tmp_path)
    assert sorted(item.code for item in findings) == ["MG004", "MG101"], "patterns are read in a valid schema"
    write_files(tmp_path, {"schemas/a.json": make_output({"x": {"pattern": "("}, "y": {"pattern": "["}})})
    _, findings = read_folder(tmp_path)
    pointers = [item.span.pointer for item in findings.sorted() if item.span]
    assert pointers == [f"/outputSchema/properties/{name}/pattern" for name in "xy"]


def test_a_pattern_in_a_shared_file_is_reported_there_and_once(tmp_path: Path) -> None:
    tool = make_output({"x": {"$ref": "x.defs.json#/$defs/X"}})
    shared: dict[str, Any] = {"$defs": {"X": {"patternProperties": {"(": {}}}}}
    write_files(
        tmp_path, {"schemas/a.json": tool, "schemas/b.json": {**tool, "name": "b"}, "schemas/x.defs.json": shared}
    )
    _, findings = read_folder(tmp_path)
    (item,) = findings.sorted()
    assert item.span is not None
    assert (item.code, Path(item.span.file).name, item.span.pointer) == (
        "MG101",
        "x.defs.json",
        "/$defs/X/patternProperties/(",
    )


def test_a_template_of_a_tool_whose_schema_is_wrong(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/a.json": make_output({"x": {"type": "strng"}})})
    (tmp_path / "schemas/a.content.j2").write_text("{{ x }}")
    _, findings = read_folder(tmp_path)
    assert [item.code for item in findings] == ["MG101"]


@pytest.mark.parametrize("member", ["tools", "resources", "resourceTemplates", "prompts"])
@pytest.mark.parametrize("value", [None, {"a": {"inputSchema": {}}}])
def test_a_listing_that_is_no_list(tmp_path: Path, member: str, value: Json) -> None:
    write_files(tmp_path, {"schemas/a.json": {member: value}})
    _, findings = read_folder(tmp_path)
    (item,) = findings
    assert (item.code, item.message) == ("MG003", f'this looks like a listing whose "{member}" is not a list')
    assert item.help.startswith(f'write {{"{member}": [{{')
