"""The kinds of servers that packages are bound to: for each SDK its server, and the low-level one where it has that."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from sdk.installed import ROWS, SdkRow, import_attribute

LOW_LEVEL = ("mcp", "mcp1")
"""The SDKs whose `bind` takes low-level servers, too."""


@dataclass(frozen=True)
class ServerKind:
    """A kind of server."""

    name: str
    row: SdkRow
    is_low_level: bool = False

    def make(self, name: str) -> Any:
        """Return a server without tools."""
        if self.is_low_level:
            return import_attribute("mcp.server.lowlevel", "Server")(name)
        return import_attribute(self.row.server_module, self.row.server_class)(name, **self.row.session_options)

    def add_tool(self, server: Any, function: Callable[[], str]) -> None:
        """Add a function without parameters as a tool, as the SDK has it."""
        if self.is_low_level:
            _add_low_level(server, function, self.row.is_modern)
        elif self.row.collects:
            server.collect(import_attribute(self.row.server_module, "tool")()(function))
        else:
            server.tool()(function)

    def serve(self, server: Any, port: int | None) -> None:
        """Serve over stdio, or over Streamable HTTP at a port."""
        if self.is_low_level:
            asyncio.run(_serve_stdio(server) if port is None else _serve_http(server, port))
        else:
            self.row.serve(server, port)


KINDS = (
    *(ServerKind(f"{row.name} {row.server_class}", row) for row in ROWS),
    *(ServerKind(f"{row.name} Server", row, is_low_level=True) for row in ROWS if row.name in LOW_LEVEL),
)
"""The kinds of servers of all SDKs."""


def get_kind(name: str) -> ServerKind:
    """Return a kind by its name."""
    return next(kind for kind in KINDS if kind.name == name)


def _add_low_level(server: Any, function: Callable[[], str], is_modern: bool) -> None:
    types = importlib.import_module("mcp_types" if is_modern else "mcp.types")
    tool = types.Tool.model_validate({"name": function.__name__, "inputSchema": {"type": "object"}})

    async def list_tools(*_: Any) -> Any:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(*_: Any) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=function())])

    if is_modern:
        server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
        server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
        return

    async def list_tools_1() -> Any:
        return [tool]

    async def call_tool_1(name: str, arguments: dict[str, Any]) -> Any:
        return (await call_tool()).content

    server.list_tools()(list_tools_1)
    server.call_tool()(call_tool_1)


async def _serve_stdio(server: Any) -> None:
    async with import_attribute("mcp.server.stdio", "stdio_server")() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _serve_http(server: Any, port: int) -> None:
    uvicorn = importlib.import_module("uvicorn")
    options = {"host": "127.0.0.1", "port": port, "log_level": "error"}
    await uvicorn.Server(uvicorn.Config(_make_app(server), **options)).serve()


def _make_app(server: Any) -> Any:
    if hasattr(server, "streamable_http_app"):
        return server.streamable_http_app()
    manager = import_attribute("mcp.server.streamable_http_manager", "StreamableHTTPSessionManager")(app=server)
    route = import_attribute("starlette.routing", "Route")

    class Handler:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await manager.handle_request(scope, receive, send)

    @contextlib.asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with manager.run():
            yield

    starlette = import_attribute("starlette.applications", "Starlette")
    return starlette(routes=[route("/mcp", endpoint=Handler())], lifespan=lifespan)
