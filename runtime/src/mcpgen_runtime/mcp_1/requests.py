"""Adapt `tools/list` and `tools/call` of a low-level server of mcp 1.x to each session's protocol version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS

from ..server_binding import IN_PROCESS, BoundTool, session_version, write_result
from ..tool_definitions import adapt_definition

Calling = Callable[[str, dict[str, Any]], Awaitable[object]]


def adapt_server(
    server: Server[Any, Any],
    bound: Mapping[str, BoundTool],
    call: Calling | None = None,
    handlers: MutableMapping[type, Any] | None = None,
    untouched: Mapping[str, Sequence[dict[str, Any]]] | None = None,
) -> None:
    """Make a server answer for the bound tools as declared; its other answers do not change.

    Args:
        server: has handlers of both requests.
        bound: the bound tools by name; others may be added later.
        call: returns the CallToolResult of a bound tool, instead of the server's own handler.
        handlers: the mapping of handlers; None: the server's own.
        untouched: the forms in which the server lists each tool unless somebody changes it; None: nobody can.
    """
    untouched = {} if untouched is None else untouched
    if handlers is None:
        handlers = server.request_handlers
    list_tools, call_tool = handlers[types.ListToolsRequest], handlers[types.CallToolRequest]

    async def list_adapted(request: types.ListToolsRequest | None) -> types.ServerResult:
        answer: types.ServerResult = await list_tools(request)
        result = answer.root
        if not isinstance(result, types.ListToolsResult):
            return answer
        version = get_session_version(server)
        tools = [adapt_definition(tool, bound, untouched, version) for tool in result.tools]
        models = [types.Tool.model_validate(tool) for tool in tools]
        return types.ServerResult(result.model_copy(update={"tools": models}))

    async def call_adapted(request: types.CallToolRequest) -> types.ServerResult:
        name = request.params.name
        if name not in bound:
            other: types.ServerResult = await call_tool(request)
            return other
        version = get_session_version(server)
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
        return types.ServerResult(types.CallToolResult.model_validate(write_result(result, version)))

    handlers[types.ListToolsRequest] = list_adapted
    handlers[types.CallToolRequest] = call_adapted


def get_session_version(server: Server[Any, Any]) -> str:
    """Return the protocol version of the session whose request is being answered.

    An initialized session knows the version that its client requested. A stateless one over HTTP has the header,
    without which the server must assume 2025-03-26 (specification 2025-11-25, Transports, Protocol Version Header).
    """
    try:
        context = server.request_context
    except LookupError:
        return IN_PROCESS
    if context.session.client_params is not None:
        requested = str(context.session.client_params.protocolVersion)
        return requested if requested in SUPPORTED_PROTOCOL_VERSIONS else types.LATEST_PROTOCOL_VERSION
    headers: Any = getattr(context.request, "headers", None)
    if headers is None:
        return IN_PROCESS
    return str(headers.get("mcp-protocol-version", types.DEFAULT_NEGOTIATED_VERSION))
