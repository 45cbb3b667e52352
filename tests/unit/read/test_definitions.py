"""Definitions know the spans of the parts of their schemas."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.documents import make_site

SCHEMA = Schema({"type": "object"}, DRAFT_2020_12)
SPAN = Span("elsewhere.json", 7, 8)


def test_a_tool_locates_pointers_into_its_schemas(tmp_path: Path) -> None:
    document = make_site(tmp_path, {"tools": [{"inputSchema": {"type": "object"}}]}).document
    tool = ToolDefinition("a", "", SPAN, {}, SCHEMA, None, document=document, at="/tools/0")
    assert tool.locate("inputSchema", "/type").pointer == "/tools/0/inputSchema/type"
    assert ToolDefinition("a", "", SPAN, {}, SCHEMA, None).locate("inputSchema", "/type") is SPAN


def test_a_bare_schema_is_the_whole_document(tmp_path: Path) -> None:
    document = make_site(tmp_path, {"type": "object"}).document
    tool = ToolDefinition("a", "", SPAN, {}, SCHEMA, SCHEMA, document=document)
    assert tool.locate("outputSchema", "/type").pointer == "/type"


def test_a_resource_locates_pointers_into_its_payload(tmp_path: Path) -> None:
    document = make_site(tmp_path, {"x-mcpgen": {"schema": {"type": "object"}}}).document
    resource = ResourceDefinition("a", "", SPAN, {}, document=document, at="/x-mcpgen/schema")
    assert resource.locate("/type").pointer == "/x-mcpgen/schema/type"
