"""`tools/list` and `tools/call` on a low-level server of mcp 2.x, in the form of each session's protocol version."""

from __future__ import annotations

from collections.abc import Container
from contextvars import ContextVar
from typing import Any, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, PaginatedRequestParams
from pydantic import BaseModel

from .binding import declared, listed, session_version, wire

_Context: TypeAlias = ServerRequestContext[Any, Any]

_results: ContextVar[list[dict[str, Any]] | None] = ContextVar(f"{__name__}.results", default=None)
"""Where the result of the tool that is being called goes, beside its way through the SDK."""


def in_form(server: Server[Any], bound: Container[str]) -> None:
    """Have a server answer for the bound tools as they are declared; what it says of others stays.

    Args:
        server: it has handlers of both requests.
        bound: the names of the bound tools, as they come.
    """
    list_tools = server.get_request_handler("tools/list")
    call_tool = server.get_request_handler("tools/call")
    assert list_tools is not None and call_tool is not None

    async def listing(context: _Context, params: PaginatedRequestParams) -> dict[str, Any]:
        result = await list_tools.handler(context, params)
        version, out = context.protocol_version, _dumped(result, "tools/list" in server.cache_hints)
        out["tools"] = [
            declared(tool["name"], version) if tool["name"] in bound else listed(tool, version)
            for tool in out["tools"]
        ]
        return out

    async def calling(context: _Context, params: CallToolRequestParams) -> HandlerResult:
        version = context.protocol_version
        token = session_version.set(version)
        try:
            result = await call_tool.handler(context, params)
        finally:
            session_version.reset(token)
        if params.name not in bound or not isinstance(result, CallToolResult):
            return result
        out = wire(result, version)
        if (found := _results.get()) is not None:
            found.append(out)
        return out

    server.add_request_handler("tools/list", PaginatedRequestParams, listing)
    server.add_request_handler("tools/call", CallToolRequestParams, calling)
    server.middleware.append(_with_null)


async def _with_null(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Answer with the null that a tool's structured content is, which the SDK takes for its absence."""
    found: list[dict[str, Any]] = []
    token = _results.set(found)
    try:
        result = await call_next(ctx)
    finally:
        _results.reset(token)
    if isinstance(result, dict) and found and found[0].get("structuredContent", found) is None:
        return {**result, "structuredContent": None}
    return result


def _dumped(result: HandlerResult, hinted: bool) -> dict[str, Any]:
    """A result as on the wire; `hinted`: the server fills in how long it keeps, where the handler did not say."""
    if not isinstance(result, BaseModel):
        return dict(result or {})
    out = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    for name, wire_name in (("ttl_ms", "ttlMs"), ("cache_scope", "cacheScope")):
        if hinted and name not in result.model_fields_set:
            del out[wire_name]
    return out
