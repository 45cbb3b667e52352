"""Call handlers of resources and prompts as servers of mcp 2.x call their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import MCPServerError
from mcp.server.mcpserver.utilities.context_injection import find_context_parameter
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from ...context_parameters import find_parameter
from .internals import get_low_level_server, get_subscriptions
from ...sdk_versions import check_server
from .server_adapter import SERVERS, Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any]:
    """Return the server that answers the requests.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (MCPServer, LowlevelServer), SERVERS)
    return get_low_level_server(server) if isinstance(server, MCPServer) else server


def find_sdk_parameters(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that the SDK fills in."""
    contexts = [find_context_parameter(handler), find_parameter(handler, ServerRequestContext)]
    return [name for name in contexts if name]


async def call_handler(
    server: Server,
    handler: Callable[..., Any],
    values: dict[str, Any],
    context: ServerRequestContext[Any, Any],
) -> Any:
    """Call a handler with its arguments and the SDK's contexts; synchronous ones run in a thread."""
    if name := find_context_parameter(handler):
        values[name] = _make_context(server, context)
    if name := find_parameter(handler, ServerRequestContext):
        values[name] = context
    if inspect.iscoroutinefunction(handler):
        return await handler(**values)
    value = await anyio.to_thread.run_sync(partial(handler, **values))
    return await value if inspect.isawaitable(value) else value


def _make_context(server: Server, context: ServerRequestContext[Any, Any]) -> Context[Any, Any]:
    if not isinstance(server, MCPServer):
        return Context(request_context=context)
    bus = get_subscriptions(server)
    return Context(request_context=context, mcp_server=server, subscriptions=bus)


def find_public_error(error: Exception) -> MCPError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, MCPError):
        return error
    return MCPError(INTERNAL_ERROR, str(error)) if isinstance(error, MCPServerError) else None
