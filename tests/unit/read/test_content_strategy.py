"""The content strategy of a tool."""

from __future__ import annotations

import pytest
from mcpgen.read.content_strategy import find_content_strategy, find_media_type, has_default_content
from mcpgen.read.definitions import ToolOptions
from mcpgen.schema.values import Json
from support.compat import make_tool
from support.definitions import PRICE, define_tool

IMAGE: dict[str, Json] = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}


@pytest.mark.parametrize(
    ("schema", "media_type"),
    [
        (IMAGE, "image/png"),
        ({**IMAGE, "contentEncoding": "base32"}, None),
        ({**IMAGE, "type": ["string", "null"]}, None),
        ({"type": "string", "contentEncoding": "base64"}, None),
        (True, None),
    ],
)
def test_only_base64_data_has_a_media_type(schema: Json, media_type: str | None) -> None:
    assert find_media_type(schema) == media_type


def test_the_strategy_follows_the_choice_then_the_media_type() -> None:
    assert find_content_strategy(make_tool(output=IMAGE)) == "binary"
    assert find_content_strategy(make_tool(output={**IMAGE, "contentMediaType": "text/plain"})) == "json"
    assert find_content_strategy(make_tool(output={**IMAGE, "contentEncoding": "base32"})) == "json"
    chosen = ToolOptions(content="items", content_chosen=True)
    assert find_content_strategy(make_tool(output=IMAGE, choices=chosen)) == "items"
    assert find_content_strategy(make_tool()) == "json"


def test_only_tools_whose_result_is_an_object_can_lack_a_chosen_content() -> None:
    definitions = [
        (define_tool("talk"), False),
        (define_tool("buy", PRICE), True),
        (define_tool("sell", PRICE, content_chosen=True), False),
        (define_tool("text", PRICE, content="template"), False),
        (define_tool("pulled", PRICE, content="sdk"), False),
        (define_tool("draw", IMAGE), False),
        (define_tool("list", {"type": "array", "items": PRICE}), False),
        (define_tool("either", {"anyOf": [PRICE, {"type": "null"}]}), False),
        (define_tool("one", {"anyOf": [PRICE, PRICE]}), True),
    ]
    for tool, expected in definitions:
        assert has_default_content(tool) is expected, tool.name
