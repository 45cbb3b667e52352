"""Low-level servers of mcp 2.x."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from . import low_level
from .low_level import INVALID_PARAMS, Classes, Handler, PathRules, Request
from .mcp_internals import find_path_rules

_Context: TypeAlias = ServerRequestContext[Any, Any]
_bypass: ContextVar[tuple[list[Any], bool] | None] = ContextVar(f"{__name__}.aside", default=None)
"""Structured content of the current call that bypasses the SDK, and whether the SDK gets none of it."""


@dataclass(frozen=True)
class OwnHandler:
    """Calls a server's handler of a request."""

    handler: Callable[[Any, Any], Awaitable[HandlerResult]]

    async def __call__(self, request: Request) -> HandlerResult:
        """Return the result."""
        return await self.handler(request.context, request.params)


class LowLevel(low_level.LowLevel[Server[Any]]):
    """The low-level servers of mcp 2.x, which know a request by the class of its parameters."""

    protocol_error = MCPError
    unknown_resource = INVALID_PARAMS
    classes: ClassVar[Classes] = {
        "completion/complete": (types.CompleteRequestParams, types.CompleteResult),
        "prompts/get": (types.GetPromptRequestParams, types.GetPromptResult),
        "prompts/list": (types.PaginatedRequestParams, types.ListPromptsResult),
        "resources/list": (types.PaginatedRequestParams, types.ListResourcesResult),
        "resources/read": (types.ReadResourceRequestParams, types.ReadResourceResult),
        "resources/templates/list": (types.PaginatedRequestParams, types.ListResourceTemplatesResult),
        "tools/call": (types.CallToolRequestParams, types.CallToolResult),
        "tools/list": (types.PaginatedRequestParams, types.ListToolsResult),
    }

    def make_error(self, code: int, text: str, data: Any = None) -> MCPError:
        """Make an error that the client should see."""
        return MCPError(code, text, data)

    def get_handler(self, server: Server[Any], method: str) -> Handler | None:
        """Return a server's handler of a request."""
        entry = server.get_request_handler(method)
        return None if entry is None else OwnHandler(entry.handler)

    def set_handler(self, server: Server[Any], method: str, handler: Handler) -> None:
        """Set a server's handler of a request, even on a server that keeps its own handlers after ours."""

        async def answer(context: _Context, params: Any) -> HandlerResult:
            result: HandlerResult = await handler(Request(params, context.protocol_version, context))
            if method == "completion/complete" and isinstance(result, dict):
                return types.CompleteResult.model_validate(result)
            return result

        type(server).add_request_handler(server, method, self.classes[method][0], answer)

    def turn_page(self, request: Request, cursor: str | None) -> Request:
        """Return a request for another page of a list of tools."""
        return request._replace(params=types.PaginatedRequestParams(cursor=cursor))

    def find_path_rules(self, server: object) -> PathRules | None:
        """Return the server's own rules for variables of URIs; None: it has none, and the usual ones apply."""
        return find_path_rules(server)

    def dump(self, server: Server[Any], method: str, result: Any) -> dict[str, Any]:
        """Return a result in wire form, without hints for caches that the server sets and the handler did not."""
        out = super().dump(server, method, result)
        if isinstance(result, BaseModel) and method in server.cache_hints:
            for name, wire_name in (("ttl_ms", "ttlMs"), ("cache_scope", "cacheScope")):
                if name not in result.model_fields_set:
                    del out[wire_name]
        return out

    def find_client(self, server: Server[Any], request: Request) -> str | None:
        """Return the name of the client: that of the request under 2026-07-28, else that of the session."""
        params = request.context.session.client_params
        return None if params is None else params.client_info.name

    def write_result(self, result: BaseModel, version: str, content_only: bool = False) -> dict[str, Any]:
        """Write the result of a bound tool in wire form, without structured content that bypasses the SDK."""
        out = super().write_result(result, version, content_only)
        if (bypass := _bypass.get()) is not None and "structuredContent" in out:
            values, alone = bypass
            values.append(out["structuredContent"])
            if alone:
                out["structuredContent"] = {}
        return out

    def adapt(self, server: Server[Any], *arguments: Any, **keywords: Any) -> None:
        """Make a server answer for the bound tools as declared; its other answers do not change."""
        super().adapt(server, *arguments, **keywords)

        async def restore_structured(ctx: _Context, call_next: CallNext) -> HandlerResult:
            """Send structured content without the SDK, which would copy all of it and take null for absent.

            If other middleware should see it, only a null bypasses the SDK.
            """
            values: list[Any] = []
            alone = server.middleware[-1] is restore_structured
            token = _bypass.set((values, alone))
            try:
                result = await call_next(ctx)
            finally:
                _bypass.reset(token)
            if isinstance(result, dict) and values and (alone or values[0] is None):
                return {**result, "structuredContent": values[0]}
            return result

        server.middleware.append(restore_structured)


LOW_LEVEL = LowLevel()
