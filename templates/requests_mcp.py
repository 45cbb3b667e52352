"""`tools/list` and `tools/call` on a low-level server of mcp 2.x, in the form of each session's protocol version."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeAlias

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, PaginatedRequestParams
from pydantic import BaseModel

from .binding import declared, listed, session_version, wire

_Context: TypeAlias = ServerRequestContext[Any, Any]


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
        if params.name not in bound:
            return result
        return wire(result, version) if isinstance(result, CallToolResult) else result

    server.add_request_handler("tools/list", PaginatedRequestParams, listing)
    server.add_request_handler("tools/call", CallToolRequestParams, calling)


def _dumped(result: HandlerResult, hinted: bool) -> dict[str, Any]:
    """A result as on the wire; `hinted`: the server fills in how long it keeps, where the handler did not say."""
    if not isinstance(result, BaseModel):
        return dict(result or {})
    out = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    for name, wire_name in (("ttl_ms", "ttlMs"), ("cache_scope", "cacheScope")):
        if hinted and name not in result.model_fields_set:
            del out[wire_name]
    return out
