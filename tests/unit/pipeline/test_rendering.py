"""Jobs and texts that concern a whole package."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.config.models import PackageSettings
from mcpgen.names.package_names import ToolNames
from mcpgen.pipeline.rendering import has_own_protocol_types, render_tool_definition
from mcpgen.read.definitions import ToolDefinition
from mcpgen.schema.contract import hash_contract
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.object_roots import make_object_schema
from mcpgen.schema.values import Json
from support.definitions import PRICE, define_tool

from generated.runtime.tool_definitions import advertise_tool


def _render(tool: ToolDefinition) -> Any:
    names = ToolNames(tool.name, "AResult", "AArguments", {}, {})
    return json.loads(render_tool_definition(tool, names, hash_contract(tool.tool)))


@pytest.mark.parametrize(
    ("settings", "has_own"),
    [({}, True), ({"sdk": "mcp"}, False), ({"runtime": "acme.runtime"}, False), ({"runtime": False}, True)],
)
def test_protocol_types_are_generated_without_an_sdk(settings: dict[str, Any], has_own: bool) -> None:
    assert has_own_protocol_types(PackageSettings.model_validate(settings)) is has_own


def test_only_a_result_that_may_be_no_object_has_a_wrapped_schema() -> None:
    assert "wrapped" not in _render(define_tool("talk"))
    assert "wrapped" not in _render(define_tool("buy", PRICE))
    wrapped = _render(define_tool("list", {"type": "array"}, wrap="always"))["wrapped"]
    assert wrapped == {"when": "always", "as": "result"}


SCHEMAS: list[Json] = [
    True,
    {"type": "array"},
    {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}},
    {"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"]}], "type": ["object"]},
    {"$schema": DRAFT_2020_12, "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#"}}},
    {"$id": "https://a/b", "$schema": DRAFT_2020_12, "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "null"}}},
    {"items": {"$ref": "#a"}, "$defs": {"A": {"$anchor": "a", "type": "null"}}},
    {"items": {"$ref": "a"}, "$defs": {"A": {"$id": "a", "$ref": "#/x", "x": {"type": "null"}}}},
    {"items": {"$ref": "#/$defs/a~1b~0"}, "$defs": {"a/b~": {"$ref": "#"}}, "enum": [[None], {"$ref": "#"}]},
    {"anyOf": [{"$ref": "#/$defs/0"}, {"not": {"$dynamicRef": "#/$defs/0"}}], "$defs": {"0": {"type": "null"}}},
    {"properties": {"$ref": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "null"}}},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=[json.dumps(schema) for schema in SCHEMAS])
def test_generated_code_derives_the_advertised_schema(schema: Json) -> None:
    """Check that the JSON file has each schema once; the oracle is what mcpgen compares servers with."""
    tool = define_tool("list", schema)
    assert tool.output is not None
    content = _render(tool)
    declared = json.dumps(content["tool"])
    for version in ("2025-06-18", "2025-11-25"):
        advertised = advertise_tool(content, version)["outputSchema"]
        assert advertised == make_object_schema(schema, tool.output.dialect)
    assert advertise_tool(content, "2026-07-28")["outputSchema"] == schema
    assert json.dumps(content["tool"]) == declared
