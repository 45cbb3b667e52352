"""Call handlers of resources and prompts as a `FastMCP` server of mcp 1.x calls its own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp.server.fastmcp.exceptions import FastMCPError
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.shared.exceptions import McpError
from mcp.types import INTERNAL_ERROR, ErrorData, ListResourceTemplatesRequest

from .server_adapter import Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any, Any]:
    """Return the server that answers the requests."""
    lowlevel: LowlevelServer[Any, Any] = vars(server)["_mcp_server"]
    return lowlevel


def get_template_list(server: Server) -> Callable[[Any], Awaitable[Any]] | None:
    """Return what answers `resources/templates/list`, None if nothing does."""
    return get_lowlevel_server(server).request_handlers.get(ListResourceTemplatesRequest)


def find_injected(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that the SDK fills in."""
    context = find_context_parameter(handler)
    return [context] if context else []


async def call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a handler with its arguments and the SDK's Context."""
    for name in find_injected(handler):
        values[name] = server.get_context()
    value = handler(**values)
    return await value if inspect.isawaitable(value) else value


def find_public_error(error: Exception) -> McpError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, McpError):
        return error
    if isinstance(error, FastMCPError):
        return McpError(ErrorData(code=INTERNAL_ERROR, message=str(error)))
    return None
