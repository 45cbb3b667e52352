"""Call handlers of resources and prompts as an `MCPServer` of mcp 2.x calls its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import MCPServerError
from mcp.server.mcpserver.utilities.context_injection import find_context_parameter
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from .server_adapter import Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any]:
    """Return the server that answers the requests."""
    lowlevel: LowlevelServer[Any] = vars(server)["_lowlevel_server"]
    return lowlevel


def find_injected(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that the SDK fills in."""
    context = find_context_parameter(handler)
    return [context] if context else []


async def call_handler(
    server: Server,
    handler: Callable[..., Any],
    values: dict[str, Any],
    context: ServerRequestContext[Any, Any],
) -> Any:
    """Call a handler with its arguments and the SDK's Context; synchronous ones run in a thread."""
    for name in find_injected(handler):
        values[name] = Context(
            request_context=context,
            mcp_server=server,
            subscriptions=vars(server)["_subscriptions"],
        )
    if inspect.iscoroutinefunction(handler):
        return await handler(**values)
    value = await anyio.to_thread.run_sync(partial(handler, **values))
    return await value if inspect.isawaitable(value) else value


def find_path_rules(server: Server) -> Callable[[Mapping[str, str]], object] | None:
    """Return what names the variable of a URI that the server's own rules refuse; None if it has no such rules."""
    settings = vars(server)
    if "_resource_security" not in settings:
        return None
    security: Any = settings["_resource_security"]
    return (lambda _: None) if security is None else security.validate


def find_public_error(error: Exception) -> MCPError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, MCPError):
        return error
    return MCPError(INTERNAL_ERROR, str(error)) if isinstance(error, MCPServerError) else None
