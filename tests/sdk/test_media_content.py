"""Images, audio and files of the SDK's own classes, against what the SDK's decorator sends for them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK
from support.packages import tool

MODULES = {
    "mcp": "mcp.server.mcpserver",
    "mcp1": "mcp.server.fastmcp",
    "fastmcp": "fastmcp.utilities.types",
    "fastmcp3": "fastmcp.utilities.types",
}
TOOLS = [tool("show")]
pytestmark = pytest.mark.skipif(SDK not in MODULES, reason="no SDK with such classes is installed here")


def make_media() -> dict[str, Any]:
    """Return a value of each class that the SDK has, and values that contain some."""
    module = importlib.import_module(MODULES[str(SDK)])
    formats = {"Image": "png", "Audio": "wav", "File": "pdf"}
    classes = {name: getattr(module, name) for name in formats if hasattr(module, name)}
    media = {name: cls(data=b"abc", format=formats[name]) for name, cls in classes.items()}
    return {**media, "list": ["see", *media.values()], "pair": ("see", media["Image"])}


@pytest.mark.parametrize("kind", ["Image", "Audio", "File", "list", "pair"])
def test_the_blocks_are_those_of_the_sdk(generated: Any, kind: str) -> None:
    media = make_media()
    if kind not in media:
        pytest.skip(f"this SDK has no {kind}")

    def show():  # type: ignore[no-untyped-def]  # the SDK derives no outputSchema
        return media[kind]

    own, bound = exchange.server(), exchange.server()
    exchange.decorate(own, show)
    generated.bind(bound).show(show)
    assert exchange.ask(bound, "show")["content"] == exchange.ask(own, "show")["content"]


def test_an_object_that_makes_no_block_is_json(generated: Any) -> None:
    class Made:
        def __init__(self) -> None:
            self.a = 1

        def to_image_content(self) -> str:
            return "x"

    server = exchange.server()
    generated.bind(server).show(Made)
    assert [block["text"] for block in exchange.ask(server, "show")["content"]] == ['{"a":1}']
