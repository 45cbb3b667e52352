"""Jobs and texts that concern a whole package."""

from __future__ import annotations

import json

from mcpgen.ir.package import ANY_ROOT, Package
from mcpgen.pipeline.lowering import assemble_tool
from mcpgen.pipeline.rendering import count_default_contents, render_wrapped_schema
from support.definitions import PRICE, define_tool


def test_only_a_result_that_may_be_no_object_has_a_wrapped_schema() -> None:
    assert render_wrapped_schema(define_tool("talk")) is None
    assert render_wrapped_schema(define_tool("buy", PRICE)) is None
    text = render_wrapped_schema(define_tool("list", {"type": "array"}, wrap="always"))
    assert text is not None
    wrapped = json.loads(text.canonical)
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
