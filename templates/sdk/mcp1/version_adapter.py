"""`tools/list` and `tools/call` on a low-level server of mcp 1.x, in the form of each session's protocol version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS

from .binding import IN_PROCESS, declared, listed, session_version, wire

Calling = Callable[[str, dict[str, Any]], Awaitable[object]]


def in_form(server: Server[Any, Any], bound: Container[str], call: Calling | None = None) -> None:
    """Have a server answer for the bound tools as they are declared; what it says of others stays.

    Args:
        server: it has handlers of both requests.
        bound: the names of the bound tools, as they come.
        call: gives the CallToolResult of a bound tool, in place of the server's own handler.
    """
    list_tools = server.request_handlers[types.ListToolsRequest]
    call_tool = server.request_handlers[types.CallToolRequest]

    async def listing(request: types.ListToolsRequest | None) -> types.ServerResult:
        answer: types.ServerResult = await list_tools(request)
        result = answer.root
        if not isinstance(result, types.ListToolsResult):
            return answer
        version = _version(server)
        tools = [
            (
                declared(tool.name, version)
                if tool.name in bound
                else listed(tool.model_dump(by_alias=True, mode="json", exclude_none=True), version)
            )
            for tool in result.tools
        ]
        made = [types.Tool.model_validate(tool) for tool in tools]
        return types.ServerResult(result.model_copy(update={"tools": made}))

    async def calling(request: types.CallToolRequest) -> types.ServerResult:
        name = request.params.name
        if name not in bound:
            other: types.ServerResult = await call_tool(request)
            return other
        version = _version(server)
        token = session_version.set(version)
        try:
            if call is None:
                answer: types.ServerResult = await call_tool(request)
                result: object = answer.root
            else:
                result = await call(name, request.params.arguments or {})
        finally:
            session_version.reset(token)
        assert isinstance(result, types.CallToolResult)
        return types.ServerResult(types.CallToolResult.model_validate(wire(result, version)))

    server.request_handlers[types.ListToolsRequest] = listing
    server.request_handlers[types.CallToolRequest] = calling


def _version(server: Server[Any, Any]) -> str:
    """The protocol version of the session whose request is being answered.

    A session that was initialized knows what its client asked for; a stateless one over HTTP has the header, without
    which the specification (2025-11-25, Transports, Protocol Version Header) has the server assume 2025-03-26.
    """
    try:
        context = server.request_context
    except LookupError:
        return IN_PROCESS
    if context.session.client_params is not None:
        asked = str(context.session.client_params.protocolVersion)
        return asked if asked in SUPPORTED_PROTOCOL_VERSIONS else types.LATEST_PROTOCOL_VERSION
    headers: Any = getattr(context.request, "headers", None)
    if headers is None:
        return IN_PROCESS
    return str(headers.get("mcp-protocol-version", types.DEFAULT_NEGOTIATED_VERSION))
