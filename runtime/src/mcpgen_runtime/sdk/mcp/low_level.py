"""Add tools to a low-level server of mcp 2.x, in addition to those of its own handlers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import HandlerEntry
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import MCPServerError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from pydantic import BaseModel

from ...mcp_2.requests import add_handler, dump_result
from ...server_binding import check_pages, find_taken

logger = logging.getLogger(__name__)

_Context: TypeAlias = ServerRequestContext[Any, Any]
_LIST, _CALL = "tools/list", "tools/call"


class LowLevelTools:
    """Lists and calls tools on a low-level server, and keeps the tools of its own handlers.

    The server may get its own handlers later. They come after the bound tools.
    """

    def __init__(self, server: Server[Any], tools: Mapping[str, Tool]) -> None:
        self._server, self._tools = server, tools
        self._own = {method: server.get_request_handler(method) for method in (_LIST, _CALL)}
        self._is_checked = False
        add_handler(server, _LIST, PaginatedRequestParams, self._list)
        add_handler(server, _CALL, CallToolRequestParams, self._call)

    def keep_later_handlers(self) -> None:
        """Treat handlers that the server gets from now on as its own, after those of all packages."""
        vars(self._server).setdefault("add_request_handler", self._add_own)

    def _add_own(self, method: str, params_type: type[BaseModel], handler: Any) -> None:
        if method in self._own:
            self._own[method], self._is_checked = HandlerEntry(params_type, handler), False
        else:
            add_handler(self._server, method, params_type, handler)

    async def _list(self, context: _Context, params: PaginatedRequestParams) -> HandlerResult:
        page = await self._list_own(context, params)
        self._reject_taken(tool["name"] for tool in page["tools"])
        if params.cursor is None:
            added = [{"name": name, "inputSchema": {"type": "object"}} for name in self._tools]
            page["tools"] = [*page["tools"], *added]
        return page

    async def _list_own(self, context: _Context, params: PaginatedRequestParams) -> dict[str, Any]:
        entry = self._own[_LIST]
        result: HandlerResult = ListToolsResult(tools=[])
        if entry is not None:
            result = await entry.handler(context, params)
        return dump_result(result, _LIST in self._server.cache_hints)

    async def _call(self, context: _Context, params: CallToolRequestParams) -> HandlerResult:
        tool = self._tools.get(params.name)
        if tool is None:
            entry = self._own[_CALL]
            if entry is None:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")
            return await entry.handler(context, params)
        await self._check_own(context)
        try:
            handler_context = Context(request_context=context, input_params=params)
            result = await tool.run(params.arguments or {}, handler_context, convert_result=True)
        except ToolError as error:
            cause = error.__cause__ or error
            if isinstance(cause, MCPServerError):  # the handler wants the client to see this text
                return _make_error_result(str(cause))
            logger.exception("Tool %r raised an unexpected exception", params.name)
            return _make_error_result(f"Error executing tool {params.name}")
        return result  # type: ignore[no-any-return]

    async def _check_own(self, context: _Context) -> None:
        """Compare the names of the server's own tools with the bound ones, before the first call."""
        if self._is_checked or self._own[_LIST] is None:
            return

        async def list_page(cursor: str | None) -> tuple[list[str], str | None]:
            page = await self._list_own(context, PaginatedRequestParams(cursor=cursor))
            return [tool["name"] for tool in page["tools"]], page.get("nextCursor")

        self._is_checked = await check_pages(list_page, self._reject_taken)

    def _reject_taken(self, own_names: Iterable[str]) -> None:
        if message := find_taken(own_names, self._tools):
            logger.error("%s", message)
            raise MCPError(INTERNAL_ERROR, message)


def _make_error_result(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
