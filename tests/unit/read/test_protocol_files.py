"""Protocol schemas have the version of their folder, or that of the settings."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.read.protocol_files import read_configured_protocols, read_protocol
from mcpgen.read.protocol_schemas import PROTOCOL_ROOTS
from mcpgen.schema.values import Json
from support.documents import list_messages, make_context, make_site

SCHEMA: dict[str, Json] = {"$defs": {name: {"type": "object"} for name in PROTOCOL_ROOTS}}


def test_the_folder_names_the_version(tmp_path: Path) -> None:
    context = make_context(tmp_path, protocol="2025-11-25")
    site = make_site(tmp_path, SCHEMA, name="2025-06-18/schema.json")
    protocol = read_protocol(SCHEMA, site.document, "origin", context)
    assert protocol is not None
    assert (protocol.version, protocol.origin, list(protocol.definitions)) == (
        "2025-06-18",
        "origin",
        [*PROTOCOL_ROOTS],
    )
    other = read_protocol(SCHEMA, make_site(tmp_path, SCHEMA).document, "origin", context)
    assert other is not None
    assert other.version == "2025-11-25"


def test_without_a_version_or_a_type_it_is_refused(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    assert read_protocol(SCHEMA, make_site(tmp_path, SCHEMA).document, "", context) is None
    partial: dict[str, Json] = {"$defs": {"CallToolResult": {}}}
    site = make_site(tmp_path, partial, name="2025-06-18/schema.json")
    assert read_protocol(partial, site.document, "", context) is None
    assert list_messages(context.findings) == [
        ("MG108", "an MCP schema of no known version"),
        ("MG108", "an MCP schema without ReadResourceResult"),
    ]


def test_the_settings_name_a_file(tmp_path: Path) -> None:
    assert list(read_configured_protocols(make_context(tmp_path))) == []
    (tmp_path / "2025-06-18").mkdir()
    (tmp_path / "2025-06-18" / "x.json").write_text(json.dumps(SCHEMA), "utf-8")
    context = make_context(tmp_path, **{"mcp-schema": "2025-06-18/x.json"})
    assert [protocol.version for protocol in read_configured_protocols(context)] == ["2025-06-18"]
    (tmp_path / "tool.json").write_text('{"name": "a", "inputSchema": {"type": "object"}}', "utf-8")
    context = make_context(tmp_path, **{"mcp-schema": "tool.json"})
    assert list(read_configured_protocols(context)) == []
    assert list_messages(context.findings) == [("MG108", "mcp-schema names no MCP protocol schema")]
