"""Compact schemas of the MCP protocol versions, which are shipped with mcpgen."""

from __future__ import annotations

import json
from functools import cache

from mcpgen import paths
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS


def load_builtin_protocols() -> dict[str, dict[str, Json]]:
    """Return the definitions of each version's MCP schema, by version."""
    return {version: load_builtin_protocol(version) for version in PROTOCOLS}


@cache
def load_builtin_protocol(version: str) -> dict[str, Json]:
    """Return the definitions of a version's MCP schema."""
    schema = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    definitions: dict[str, Json] = schema["$defs" if "$defs" in schema else "definitions"]
    return definitions
