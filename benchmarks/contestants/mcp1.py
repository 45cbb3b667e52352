"""mcp 1.x, the official SDK: `convert_result`, and what its server does with the outcome; and dedalus-mcp upon it."""

from __future__ import annotations

import base64
import importlib
from typing import Any

from benchmarks import values
from benchmarks.cases import Case
from benchmarks.contestants import sdk

NAME = "mcp 1.x"
DEDALUS = "dedalus-mcp"


def make_cases() -> list[Case]:
    """Return the cases of mcp 1.x.

    Its server also holds every result against the outputSchema with `jsonschema`, in Python, which takes many times as
    long as all the rest; that is left to the measurements through servers.
    """
    metadata: Any = importlib.import_module("mcp.server.fastmcp.utilities.func_metadata")
    image: Any = importlib.import_module("mcp.server.fastmcp").Image
    types: Any = importlib.import_module("mcp.types")

    def converter(annotation: Any) -> sdk.Convert:
        convert = metadata.func_metadata(sdk.handler(annotation)).convert_result

        def converted(value: Any) -> Any:
            result = convert(value)
            content, structured = result if isinstance(result, tuple) else (result, None)
            return types.CallToolResult(content=list(content), structuredContent=structured, isError=False)

        return converted

    dumps = {NAME: make_server_conversion()}
    return [*sdk.make_cases(NAME, converter, dumps, lambda: image(data=values.make_chart(), format="png"), image)]


def make_server_conversion() -> sdk.Convert:
    """Return what its server does with a result: a dump of the union of all results, a response, its JSON.

    It has no bytes of the result alone.
    """
    types: Any = importlib.import_module("mcp.types")

    def dump(result: Any) -> bytes:
        dumped = types.ServerResult(result).model_dump(by_alias=True, mode="json", exclude_none=True)
        message = types.JSONRPCMessage(types.JSONRPCResponse(jsonrpc="2.0", id=1, result=dumped))
        text: str = message.model_dump_json(by_alias=True, exclude_none=True)
        return text.encode()

    return dump


def make_dedalus_cases() -> list[Case]:
    """Return the cases of dedalus-mcp, which has `normalize_tool_result` whatever the annotation; its server is mcp
    1.x's.
    """
    normalizers: Any = importlib.import_module("dedalus_mcp.server.result_normalizers")
    types: Any = importlib.import_module("mcp.types")

    def image() -> Any:
        data = base64.b64encode(values.make_chart()).decode()
        return types.ImageContent(type="image", data=data, mimeType="image/png")

    def converter(annotation: Any) -> sdk.Convert:
        normalize: sdk.Convert = normalizers.normalize_tool_result
        return normalize

    return [*sdk.make_cases(DEDALUS, converter, {DEDALUS: make_server_conversion()}, image, Any)]
