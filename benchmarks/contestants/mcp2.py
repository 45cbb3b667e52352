"""mcp 2.x, the official SDK: `convert_result`, and what its server does with the outcome; and fastmcp 4.x upon it."""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks import values
from benchmarks.cases import Case
from benchmarks.contestants import sdk

NAME = "mcp 2.x"
ONCE = "mcp 2.x, dumped once"
LOW_LEVEL = "mcp 2.x, low-level"
FASTMCP = "fastmcp"
VERSION = "2026-07-28"


def make_cases() -> list[Case]:
    """Return the cases of mcp 2.x."""
    utilities = "mcp.server.mcpserver.utilities"
    metadata: Any = importlib.import_module(f"{utilities}.func_metadata")
    image: Any = importlib.import_module(f"{utilities}.types").Image

    def converter(annotation: Any) -> sdk.Convert:
        convert: sdk.Convert = metadata.func_metadata(sdk.handler(annotation)).convert_result
        return convert

    dumps = {NAME: make_server_conversion(), ONCE: _dump_once}
    return [*sdk.make_cases(NAME, converter, dumps, lambda: image(data=values.make_chart(), format="png"), image)]


def make_server_conversion() -> sdk.Convert:
    """Return what its server does: a dump of the object, the version's own model of the result, a response, its JSON.

    It has no bytes of the result alone. What 2026-07-28 adds, the server's name in `_meta`, is left out.
    """
    methods: Any = importlib.import_module("mcp_types.methods")
    response: Any = importlib.import_module("mcp_types").JSONRPCResponse

    def dump(result: Any) -> bytes:
        dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        sieved = methods.serialize_server_result("tools/call", VERSION, dumped)
        text: str = response(jsonrpc="2.0", id=1, result=sieved).model_dump_json(by_alias=True, exclude_unset=True)
        return text.encode()

    return dump


def _dump_once(result: Any) -> bytes:
    """Return the shortest way, which its server does not take."""
    text: str = result.model_dump_json(by_alias=True, exclude_none=True)
    return text.encode()


def make_fastmcp_cases() -> list[Case]:
    """Return the cases of fastmcp 4.x, whose tools convert by themselves and whose server is mcp 2.x's."""
    tools: Any = importlib.import_module("fastmcp.tools")
    image: Any = importlib.import_module("fastmcp.utilities.types").Image
    operations: Any = importlib.import_module("fastmcp.server.mixins.mcp_operations")
    to_result: sdk.Convert = vars(operations)["_normalize_call_tool_result"]

    def converter(annotation: Any) -> sdk.Convert:
        tool = tools.Tool.from_function(sdk.handler(annotation), name="measured")
        return lambda value: to_result(tool.convert_result(value).to_mcp_result())

    servers = {FASTMCP: make_server_conversion()}
    return [*sdk.make_cases(FASTMCP, converter, servers, lambda: image(data=values.make_chart(), format="png"), image)]
