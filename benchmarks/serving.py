"""A server of one contestant: `python -m benchmarks.serving SDK KIND stdio|PORT`.

`own` is the SDK's decorators over hand-written pydantic models, `bound` the generated glue over generated classes,
the others (mcp 2.x only) use the SDK's low-level server: `low-level` answers with dicts written by hand,
`bound-low-level` has the generated glue, and `ready` sends results that were made as JSON before, which costs what
the SDK's messages and transport cost. What handlers return was made before, so that only the way of a result is
measured. `KIND-without-gc` turns the garbage collector off. Handlers are async: some SDKs take
those that are not to a thread. Logs say warnings only, which leaves out a line a request.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import logging
import sys
from typing import Any

from benchmarks import values
from benchmarks.environments import make_package_name

HELD = {value.name: value for value in values.make_values()}


def make_handlers(weather: Any, berths: dict[int, Any]) -> tuple[Any, Any]:
    """Return the handlers of `get_weather` and `list_berths` that return what was made."""

    async def get_weather() -> Any:
        return weather

    async def list_berths(rows: int) -> Any:
        return berths[rows]

    return get_weather, list_berths


def make_own_server(sdk: str, server: Any) -> None:
    """Register the tools as the SDK has it."""
    models = {name: value.as_model for name, value in HELD.items()}
    rows = {count: models[name] for name, count in values.ROWS.items()}
    functions = make_handlers(models[values.SMALL], rows)
    for function, returns in zip(functions, (values.Weather, values.Berths), strict=True):
        # of classes within classes dedalus-mcp advertises a schema that nobody can read, and then its own results fail
        nested = sdk == "dedalus" and returns is values.Berths
        function.__annotations__["return"] = Any if nested else returns
        if "rows" in function.__annotations__:
            function.__annotations__["rows"] = int  # not as text, which not every SDK reads
        if sdk == "dedalus":
            server.collect(importlib.import_module("dedalus_mcp").tool()(function))
        else:
            server.tool()(function)


def bound(sdk: str, server: Any) -> None:
    """Bind the generated tools."""
    package: Any = importlib.import_module(make_package_name(sdk))
    types, tools = package.RESULT_TYPES, package.bind(server)
    instances = {name: types[value.tool].from_structured_content(value.json) for name, value in HELD.items()}
    rows = {count: instances[name] for name, count in values.ROWS.items()}
    get_weather, list_berths = make_handlers(instances[values.SMALL], rows)
    tools.get_weather(get_weather)
    tools.list_berths(list_berths)


def make(sdk: str) -> Any:
    """A server of an SDK."""
    match sdk:
        case "mcp":
            return importlib.import_module("mcp.server.mcpserver").MCPServer("measured", log_level="WARNING")
        case "mcp1":
            return importlib.import_module("mcp.server.fastmcp").FastMCP("measured", log_level="WARNING")
        case "fastmcp":
            return importlib.import_module("fastmcp").FastMCP("measured")
        case _:
            server = importlib.import_module("dedalus_mcp").MCPServer("measured")
            for name in ("dedalus_mcp.server.measured", "mcp"):
                logging.getLogger(name).setLevel(logging.WARNING)
            return server


def serve(sdk: str, server: Any, port: int | None) -> None:
    """Serve over stdio, or over Streamable HTTP at a port, with the SDK's defaults."""
    match sdk, port:
        case "fastmcp", None:
            server.run("stdio", show_banner=False, log_level="WARNING")
        case "fastmcp", _:
            server.run("http", port=port, show_banner=False, log_level="WARNING")
        case "dedalus", None:
            asyncio.run(server.serve_stdio())
        case "dedalus", _:
            asyncio.run(server.serve_streamable_http(host="127.0.0.1", port=port, log_level="warning"))
        case _, None:
            server.run("stdio")
        case "mcp", _:
            server.run("streamable-http", port=port)
        case _:
            server.settings.port = port
            server.run("streamable-http")


def make_low_level_server() -> Any:
    """Return a low-level server of mcp 2.x, whose handler makes the text and the result by hand."""
    types, low_level = importlib.import_module("mcp_types"), importlib.import_module("mcp.server.lowlevel")
    rows = {"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]}
    tools = [
        types.Tool(
            name="get_weather", input_schema={"type": "object"}, output_schema=values.Weather.model_json_schema()
        ),
        types.Tool(name="list_berths", input_schema=rows, output_schema=values.Berths.model_json_schema()),
    ]
    berths = {count: HELD[name].json for name, count in values.ROWS.items()}

    async def list_tools(context: Any, parameters: Any) -> Any:
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, parameters: Any) -> Any:
        value = HELD[values.SMALL].json if parameters.name == "get_weather" else berths[parameters.arguments["rows"]]
        text = types.TextContent(type="text", text=json.dumps(value))
        return types.CallToolResult(content=[text], structured_content=value)

    return low_level.Server("measured", on_list_tools=list_tools, on_call_tool=call_tool)


def make_ready_server() -> Any:
    """Return a low-level server whose results are JSON values that were made before."""
    server = make_low_level_server()
    held: dict[int | None, Any] = {count: HELD[name].json for name, count in values.ROWS.items()}
    held[None] = HELD[values.SMALL].json
    ready = {
        count: {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
        for count, value in held.items()
    }

    async def answer(context: Any, call_next: Any) -> Any:
        if context.method != "tools/call":
            return await call_next(context)
        return ready[context.params["arguments"].get("rows")]

    server.middleware.append(answer)
    return server


def make_bound_low_level_server() -> Any:
    """Return a low-level server with the generated glue."""
    server = importlib.import_module("mcp.server.lowlevel").Server("measured")
    bound("mcp", server)
    return server


LOW_LEVEL = {
    "low-level": make_low_level_server,
    "ready": make_ready_server,
    "bound-low-level": make_bound_low_level_server,
}


def serve_low_level(server: Any, port: int | None) -> None:
    """Serve a low-level server of mcp 2.x."""

    async def serve_stdio() -> None:
        async with importlib.import_module("mcp.server.stdio").stdio_server() as streams:
            await server.run(*streams, server.create_initialization_options())

    if port is None:
        asyncio.run(serve_stdio())
    else:
        importlib.import_module("uvicorn").run(server.streamable_http_app(), port=port, log_level="warning")


def main() -> None:
    """Serve."""
    sdk, kind, where = sys.argv[1:]
    port = None if where == "stdio" else int(where)
    kind, _, collector = kind.partition("-without-")
    if collector:
        gc.disable()
    if kind in LOW_LEVEL:
        serve_low_level(LOW_LEVEL[kind](), port)
        return
    server = make(sdk)
    (make_own_server if kind == "own" else bound)(sdk, server)
    serve(sdk, server, port)


if __name__ == "__main__":
    main()
