"""Schemas of the MCP protocol versions: load the compact ones that are shipped, and parse others."""

from __future__ import annotations

import json
from functools import cache

from mcpgen import paths
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS

PROTOCOL_ROOTS = ("CallToolResult", "ReadResourceResult", "Tool", "Resource", "ResourceTemplate")


def load_builtin_protocols() -> dict[str, ProtocolSchema]:
    """Return the compact MCP schemas that are shipped with mcpgen, by version."""
    return {version: load_builtin_protocol(version) for version in PROTOCOLS}


@cache
def load_builtin_protocol(version: str) -> ProtocolSchema:
    """Return the compact MCP schema of a version."""
    value = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    return parse_protocol(value, version, f"mcp/{version}/schema.json")


def parse_protocol(value: dict[str, Json], version: str, origin: str) -> ProtocolSchema:
    """Return the definitions in one version of the MCP schema."""
    keyword = "$defs" if "$defs" in value else "definitions"
    definitions = value[keyword]
    assert isinstance(definitions, dict)
    return ProtocolSchema(version, origin, definitions, str(value.get("$schema", DRAFT_2020_12)).rstrip("#"))
