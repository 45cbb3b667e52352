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


_aside: ContextVar[tuple[list[Any], bool] | None] = ContextVar(f"{__name__}.aside", default=None)
"""Where the structured content of the tool that is being called goes, and whether it goes there alone."""


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
        if (aside := _aside.get()) is not None and "structuredContent" in out:
            found, alone = aside
            found.append(out["structuredContent"])
            if alone:
                out["structuredContent"] = {}
        return out

    async def around(ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Structured content goes past the SDK, which would copy all of it and take null for its absence.

        Where other middleware comes in between, which should see it, only a null goes past.
        """
        found: list[Any] = []
        alone = server.middleware[-1] is around
        token = _aside.set((found, alone))
        try:
            result = await call_next(ctx)
        finally:
            _aside.reset(token)
        if isinstance(result, dict) and found and (alone or found[0] is None):
            return {**result, "structuredContent": found[0]}
        return result

    server.add_request_handler("tools/list", PaginatedRequestParams, listing)
    server.add_request_handler("tools/call", CallToolRequestParams, calling)
    server.middleware.append(around)


def _dumped(result: HandlerResult, hinted: bool) -> dict[str, Any]:
    """A result as on the wire; `hinted`: the server fills in how long it keeps, where the handler did not say."""
    if not isinstance(result, BaseModel):
        return dict(result or {})
    out = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    for name, wire_name in (("ttl_ms", "ttlMs"), ("cache_scope", "cacheScope")):
        if hinted and name not in result.model_fields_set:
            del out[wire_name]
    return out
