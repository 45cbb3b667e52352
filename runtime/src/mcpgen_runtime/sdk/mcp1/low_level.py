"""Add tools to a low-level server of mcp 1.x, in addition to those of its own handlers."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, cast

from mcp import types
from mcp.server.fastmcp import Context
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError

from ...server_binding import check_pages, find_taken

logger = logging.getLogger(__name__)

_Handler = Callable[..., Awaitable[types.ServerResult]]
_URL_ELICITATION_REQUIRED = -32042
"""The only code of a protocol error; mcp 1.22 has no name for it."""


class _Handlers(MutableMapping[type, _Handler]):
    """A server's request handlers, with those of the bound tools before its own.

    A handler that the server gets later becomes one of its own.
    """

    def __init__(self, server_handlers: MutableMapping[type, _Handler], front: MutableMapping[type, _Handler]) -> None:
        self._own, self._front = server_handlers, front

    def __getitem__(self, request: type) -> _Handler:
        return self._front[request] if request in self._front else self._own[request]

    def __setitem__(self, request: type, handler: _Handler) -> None:
        self._own[request] = handler

    def __delitem__(self, request: type) -> None:
        del self._own[request]

    def __iter__(self) -> Iterator[type]:
        return iter({**self._own, **self._front})

    def __len__(self) -> int:
        return len({**self._own, **self._front})


class LowLevelTools:
    """Lists and calls tools on a low-level server; what its own handlers list and call stays."""

    def __init__(self, server: Server[Any, Any], tools: Mapping[str, Tool]) -> None:
        self._server, self._tools = server, tools
        self._own: MutableMapping[type, _Handler] = server.request_handlers
        self._checked_handler: _Handler | None = None
        self.front: dict[type, _Handler] = {types.ListToolsRequest: self._list, types.CallToolRequest: self._call}
        handlers = _Handlers(self._own, self.front)
        server.request_handlers = cast(dict[type, _Handler], handlers)

    async def _list(self, request: types.ListToolsRequest | None) -> types.ServerResult:
        answer = await self._list_own(request)
        page = answer.root
        if not isinstance(page, types.ListToolsResult):
            return answer
        self._reject_taken(tool.name for tool in page.tools)
        if request is None or request.params is None or request.params.cursor is None:
            added = [types.Tool(name=name, inputSchema={"type": "object"}) for name in self._tools]
            page = page.model_copy(update={"tools": [*page.tools, *added]})
        return types.ServerResult(page)

    async def _list_own(self, request: types.ListToolsRequest | None) -> types.ServerResult:
        handler = self._own.get(types.ListToolsRequest)
        if handler is None:
            return types.ServerResult(types.ListToolsResult(tools=[]))
        return await handler(request or types.ListToolsRequest())

    async def _call(self, request: types.CallToolRequest) -> types.ServerResult:
        tool = self._tools.get(request.params.name)
        if tool is not None:
            await self._check_own()
            result = await self._run(tool, request.params.arguments or {})
            return types.ServerResult(result)
        handler = self._own.get(types.CallToolRequest)
        if handler is None:
            message = f"Unknown tool: {request.params.name}"
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=message))
        return await handler(request)

    async def _run(self, tool: Tool, arguments: dict[str, Any]) -> types.CallToolResult:
        """Run a tool; report its errors as the server's own decorator does."""
        context: Context[Any, Any, Any] = Context(request_context=self._server.request_context)
        try:
            result: types.CallToolResult = await tool.run(arguments, context)
        except (ToolError, McpError) as error:
            if isinstance(error, McpError) and error.error.code == _URL_ELICITATION_REQUIRED:
                raise
            text = types.TextContent(type="text", text=str(error.__cause__ or error))
            return types.CallToolResult(content=[text], isError=True)
        return result

    async def _check_own(self) -> None:
        """Compare the names of the server's own tools with the bound ones, before the first call."""
        handler = self._own.get(types.ListToolsRequest)
        if handler is None or handler is self._checked_handler:
            return

        async def list_page(cursor: str | None) -> tuple[list[str], str | None]:
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            page = (await handler(types.ListToolsRequest(params=params))).root
            if not isinstance(page, types.ListToolsResult):
                return [], None
            return [tool.name for tool in page.tools], page.nextCursor

        if await check_pages(list_page, self._reject_taken):
            self._checked_handler = handler

    def _reject_taken(self, own_names: Iterable[str]) -> None:
        if message := find_taken(own_names, self._tools):
            logger.error("%s", message)
            raise McpError(types.ErrorData(code=types.INTERNAL_ERROR, message=message))


def convert_own_result(value: Any) -> types.CallToolResult | None:
    """Convert a value as the server's own decorator does; None if it does not accept such values."""
    if isinstance(value, types.CallToolResult):
        return value
    if isinstance(value, dict):
        text = types.TextContent(type="text", text=json.dumps(value, indent=2))
        structured = cast(dict[str, Any], value)
        return types.CallToolResult(content=[text], structuredContent=structured)
    pair: list[Any] = [*cast(Any, value)] if isinstance(value, tuple) else []
    if len(pair) == 2 and isinstance(pair[1], dict):
        structured = cast(dict[str, Any], pair[1])
        return types.CallToolResult(content=[*pair[0]], structuredContent=structured)
    return None
