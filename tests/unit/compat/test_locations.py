"""From JSON pointers into definitions to places in files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from mcpgen.compat.locations import SchemaLocator, locate_part
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.schema.values import Json

TOOL = {
    "name": "get",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
RESOURCE = {"name": "config", "uri": "x://config", "x-mcpgen": {"schema": {"type": "object", "minProperties": 1}}}


def read(folder: Path) -> Definitions:
    text = json.dumps({"tools": [TOOL], "resources": [RESOURCE]}, indent=1)
    (folder / "all.json").write_text(text, "utf-8")
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": ["all.json"]}), folder=folder)
    definitions = read_definitions(package, findings)
    assert definitions is not None, [finding.message for finding in findings]
    return definitions


def line_of(folder: Path, text: str) -> int:
    lines = (folder / "all.json").read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_keyword_of_a_tools_schema(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    assert locator.find_pointer("/properties/a", "type") == "/outputSchema/properties/a/type"
    assert locator.find_span("/properties/a", "type").line == line_of(tmp_path, '"string"')


def test_an_absent_keyword_is_found_at_its_subschema(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    assert locator.find_pointer("/properties/a", "maxLength") == "/outputSchema/properties/a"
    assert locator.find_span("/properties/a", "maxLength").line == line_of(tmp_path, '"a"')


def test_a_property_is_found_where_it_is_or_would_be(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    for name, line in (("a", '"a"'), ("gone", '"properties"')):
        for keyword in ("required", "properties", "additionalProperties"):
            pointer = f"/outputSchema/properties/{name}"
            assert locator.find_pointer("", keyword, name) == pointer
            span = locator.find_span("", keyword, name)
            assert (span.line, span.pointer) == (line_of(tmp_path, line), f"/tools/0{pointer}")
            assert locate_part(tool, pointer) == span
    dependent: dict[str, Json] = {"dependentRequired": {"a": ["b"]}}
    assert SchemaLocator(tool, dependent, "outputSchema").find_pointer("", "dependentRequired", "a") == (
        "/outputSchema/dependentRequired/a"
    )


def test_a_keyword_of_a_payload(tmp_path: Path) -> None:
    resource = read(tmp_path).resources[0]
    assert resource.payload is not None
    locator = SchemaLocator(resource, resource.payload.value, "x-mcpgen/schema")
    assert locator.find_pointer("", "minProperties") == "/x-mcpgen/schema/minProperties"
    assert locator.find_span("", "minProperties").line == line_of(tmp_path, "minProperties")


def test_members_of_a_definition(tmp_path: Path) -> None:
    definitions = read(tmp_path)
    tool, resource = definitions.tools[0], definitions.resources[0]
    assert locate_part(tool, "/outputSchema").line == line_of(tmp_path, "outputSchema")
    assert locate_part(tool, "/annotations/readOnlyHint") == tool.span
    assert locate_part(tool, "/outputSchema/properties/a/description").line == line_of(tmp_path, '"a"')
    assert locate_part(replace(tool, document=None), "/name") == tool.span
    assert locate_part(resource, "/uri").line == line_of(tmp_path, "x://config")
    assert locate_part(resource, "/mimeType") == resource.span
