"""Adapt `tools/list` and `tools/call` of a low-level server of mcp 2.x to each session's protocol version."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool
from pydantic import BaseModel

from ..server_binding import BoundTool, find_doubled, session_version, write_result
from ..tool_definitions import adapt_definition

logger = logging.getLogger(__name__)

_Context: TypeAlias = ServerRequestContext[Any, Any]


_bypass: ContextVar[tuple[list[Any], bool] | None] = ContextVar(f"{__name__}.aside", default=None)
"""Structured content of the current call that bypasses the SDK, and whether the SDK gets none of it."""


def adapt_server(
    server: Server[Any],
    bound: Mapping[str, BoundTool],
    untouched: Mapping[str, Sequence[dict[str, Any]]] | None = None,
    list_own_tools: Callable[[], Iterable[Any]] = tuple,
) -> None:
    """Make a server answer for the bound tools as declared; its other answers do not change.

    Args:
        server: has handlers of both requests.
        bound: the bound tools by name; others may be added later.
        untouched: the forms in which the server lists each unless somebody changes it; None: nobody can.
        list_own_tools: returns the tools of the SDK's own decorator.
    """
    untouched = {} if untouched is None else untouched
    list_tools = server.get_request_handler("tools/list")
    call_tool = server.get_request_handler("tools/call")
    assert list_tools is not None
    assert call_tool is not None
    logged: set[str] = set()

    def describe_doubled() -> set[str]:
        handlers = {name: tool.handler for name, tool in bound.items()}
        return {*find_doubled(list_own_tools(), handlers)}

    async def list_adapted(context: _Context, params: PaginatedRequestParams) -> dict[str, Any]:
        for message in describe_doubled() - logged:
            logged.add(message)
            logger.error("%s", message)
        result = await list_tools.handler(context, params)
        models: Sequence[Tool] = []
        if isinstance(result, ListToolsResult):
            result, models = result.model_copy(update={"tools": []}), result.tools
        out = dump_result(result, "tools/list" in server.cache_hints)
        out["tools"] = [
            adapt_definition(tool, bound, untouched, context.protocol_version) for tool in models or out["tools"]
        ]
        return out

    async def call_adapted(context: _Context, params: CallToolRequestParams) -> HandlerResult:
        version = context.protocol_version
        token = session_version.set(version)
        try:
            result = await call_tool.handler(context, params)
        finally:
            session_version.reset(token)
        if params.name not in bound or not isinstance(result, CallToolResult):
            return result
        out = write_result(result, version)
        if (bypass := _bypass.get()) is not None and "structuredContent" in out:
            values, alone = bypass
            values.append(out["structuredContent"])
            if alone:
                out["structuredContent"] = {}
        return out

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

    add_handler(server, "tools/list", PaginatedRequestParams, list_adapted)
    add_handler(server, "tools/call", CallToolRequestParams, call_adapted)
    server.middleware.append(restore_structured)
    vars(server).setdefault("_mcpgen_doubled", []).append(describe_doubled)  # `mcpgen check` reads it


def add_handler(server: Server[Any], method: str, params_type: type[BaseModel], handler: Any) -> None:
    """Set the handler of a request, even on a server that keeps its own handlers after ours."""
    type(server).add_request_handler(server, method, params_type, handler)


def dump_result(result: HandlerResult, hinted: bool) -> dict[str, Any]:
    """Dump a result in wire form; `hinted`: the server sets caching hints that the handler did not set."""
    if not isinstance(result, BaseModel):
        return dict(result or {})
    out = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    for name, wire_name in (("ttl_ms", "ttlMs"), ("cache_scope", "cacheScope")):
        if hinted and name not in result.model_fields_set:
            del out[wire_name]
    return out
