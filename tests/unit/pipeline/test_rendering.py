"""Jobs and texts that concern a whole package."""

from __future__ import annotations

import json
from typing import Any

from mcpgen.ir.package import ANY_ROOT, Package
from mcpgen.names.allocator import ToolNames
from mcpgen.pipeline.lowering import assemble_tool
from mcpgen.pipeline.rendering import count_default_contents, render_tool_definition
from mcpgen.read.definitions import ToolDefinition
from support.definitions import PRICE, define_tool


def _render(tool: ToolDefinition) -> Any:
    names = ToolNames(tool.name, "AResult", "AArguments", {}, {})
    return json.loads(render_tool_definition(tool, names))


def test_only_a_result_that_may_be_no_object_has_a_wrapped_schema() -> None:
    assert "wrapped" not in _render(define_tool("talk"))
    assert "wrapped" not in _render(define_tool("buy", PRICE))
    wrapped = _render(define_tool("list", {"type": "array"}, wrap="always"))["wrapped"]
    assert wrapped["when"] == "always"
    assert wrapped["outputSchema"]["required"] == ["result"]


def test_only_tools_with_a_schema_can_lack_a_chosen_content() -> None:
    definitions = [
        define_tool("talk"),
        define_tool("buy", PRICE),
        define_tool("sell", PRICE, content_chosen=True),
        define_tool("text", PRICE, content="template"),
    ]
    modules = [assemble_tool(tool, ANY_ROOT, None if tool.output is None else ANY_ROOT) for tool in definitions]
    assert count_default_contents(Package(tuple(modules), (), (), "none", None), definitions) == 1
