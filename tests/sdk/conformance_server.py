"""A server of the tools that the official conformance suite calls: `python conformance_server.py SDK FOLDER PORT`."""

from __future__ import annotations

import asyncio
import base64
import importlib
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sdk.harbour import Sdk
from sdk.installed import get_row
from support.packages import get_types

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0"


class Handlers:
    """What the suite asks of each tool, as its descriptions have it."""

    def __init__(self, sdk: Sdk, generated: Any) -> None:
        self._sdk = sdk
        self._protocol = get_types(generated)

    def _resource(self, uri: str, mime_type: str, text: str) -> Any:
        contents = {"uri": uri, "mimeType": mime_type, "text": text}
        return self._protocol.EmbeddedResource(type="resource", resource=contents)

    def test_simple_text(self) -> str:
        return "This is a simple text response for testing."

    def test_image_content(self) -> bytes:
        return PNG

    def test_audio_content(self) -> bytes:
        return WAV

    def test_embedded_resource(self) -> Any:
        return self._resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")

    def test_multiple_content_types(self) -> Any:
        return [
            self._protocol.TextContent(type="text", text="Multiple content types test:"),
            self._protocol.ImageContent(
                **{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
            ),
            self._resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]

    def test_error_handling(self) -> Any:
        raise self._sdk.tool_error("This tool intentionally returns an error for testing")

    async def test_tool_with_logging(self, ctx: Any) -> str:
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(text)
            await asyncio.sleep(0.05)
        return "Logged."

    async def test_tool_with_progress(self, ctx: Any) -> str:
        for progress in (0, 50, 100):
            if self._sdk.name == "dedalus":
                await ctx.report_progress(progress, total=100)
            else:
                await ctx.report_progress(progress, 100)
            await asyncio.sleep(0.05)
        return "Done."

    def json_schema_2020_12_tool(self, name: str | None = None, address: Any = None) -> str:
        return f"For {name}."


def answer_log_level(sdk: Sdk) -> None:
    """Answer `logging/setLevel`, with which the suite begins, where the SDK's high-level server does not."""
    if sdk.name == "mcp":
        types: Any = importlib.import_module("mcp_types")

        async def set_level(context: Any, params: Any) -> Any:
            return types.EmptyResult()

        low = vars(sdk.server)["_lowlevel_server"]
        low.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    elif sdk.name == "mcp1":

        async def set_logging_level(level: Any) -> None:
            pass

        vars(sdk.server)["_mcp_server"].set_logging_level()(set_logging_level)


def main() -> None:
    """Serve."""
    name, folder, port = sys.argv[1:]
    sys.path.insert(0, folder)
    sdk, generated = Sdk(get_row(name)), importlib.import_module("conformance")
    for handler in (Handlers.test_tool_with_logging, Handlers.test_tool_with_progress):
        handler.__annotations__["ctx"] = sdk.context
    answer_log_level(sdk)
    tools = importlib.import_module("conformance.server").bind(sdk.server)
    tools.implement(Handlers(sdk, generated))
    tools.complete()
    sdk.serve(int(port))


if __name__ == "__main__":
    main()
