"""`to_content` of each content strategy, and what a tool needs for it."""

from __future__ import annotations

from typing import get_args

import pytest
from mcpgen.ir.content_strategies import BUILDERS, ContentStrategy
from mcpgen.ir.package import SchemaRoot, ToolModule
from mcpgen.ir.types import ANY, Array, Scalar, ScalarKind, Type
from mcpgen.render.content_view import explain_unsuitable, make_content_view
from mcpgen.render.scope import Scope

STRING = Scalar(ScalarKind.STRING)
DATA = Scalar(ScalarKind.BASE64)


def make_tool(
    content: ContentStrategy, type: Type, media_type: str | None = None, priority: float | None = None
) -> ToolModule:
    output = SchemaRoot(type, (), (), media_type=media_type)
    return ToolModule("t", "t.json", "", output, SchemaRoot(ANY, (), ()), content, priority=priority)


@pytest.mark.parametrize(
    ("content", "type", "blocks"),
    [
        ("json", ANY, "[text_block(self._json_text())]"),
        ("json", STRING, "[text_block(self.root)]"),
        ("items", Array(STRING), "item_blocks(self.to_structured_content())"),
        ("sdk", STRING, "sdk_blocks(self.to_structured_content())"),
        ("binary", DATA, '[binary_block(self.to_structured_content(), "image/png")]'),
        ("none", ANY, "[]"),
    ],
)
def test_blocks(content: ContentStrategy, type: Type, blocks: str) -> None:
    tool = make_tool(content, type, "image/png")
    assert tool.output is not None
    assert str(make_content_view(tool, tool.output, Scope({}, {})).blocks) == blocks


def test_annotations_follow_the_arguments() -> None:
    tool = make_tool("json", STRING, priority=0.5)
    assert tool.output is not None
    assert str(make_content_view(tool, tool.output, Scope({}, {})).blocks) == "[text_block(self.root, None, 0.5)]"


@pytest.mark.parametrize("content", get_args(ContentStrategy))
def test_each_strategy_is_rendered_with_its_builder(content: ContentStrategy) -> None:
    tool = make_tool(content, Array(STRING), "image/png")
    assert tool.output is not None
    blocks = str(make_content_view(tool, tool.output, Scope({}, {})).blocks)
    assert blocks == "[]" if content == "none" else f"{BUILDERS[content].name}(" in blocks


@pytest.mark.parametrize(
    ("tool", "sdk", "reason"),
    [
        (make_tool("items", STRING), "mcp", "its result is not an array"),
        (make_tool("items", Array(STRING)), "mcp", None),
        (make_tool("sdk", STRING), "none", "the package is for no SDK"),
        (make_tool("sdk", STRING), "mcp", None),
        (make_tool("binary", DATA), "mcp", "its result is not binary data"),
        (make_tool("binary", DATA, "image/png"), "none", None),
        (make_tool("json", STRING), "none", None),
    ],
)
def test_what_a_strategy_needs(tool: ToolModule, sdk: str, reason: str | None) -> None:
    problem = explain_unsuitable(tool, sdk)
    assert (problem and problem[0]) == reason
