"""Call handlers of resources and prompts as servers of mcp 1.x call their own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.shared.context import RequestContext
from mcp.shared.exceptions import McpError
from mcp.types import INTERNAL_ERROR, ErrorData, ListResourceTemplatesRequest

from ...context_parameters import find_parameter
from .internals import get_low_level_server
from ...sdk_versions import check_server
from .server_adapter import SERVERS, Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any, Any]:
    """Return the server that answers the requests.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (FastMCP, LowlevelServer), SERVERS)
    return get_low_level_server(server) if isinstance(server, FastMCP) else server


def get_template_list(server: Server) -> Callable[[Any], Awaitable[Any]] | None:
    """Return what answers `resources/templates/list`, None if nothing does."""
    return get_lowlevel_server(server).request_handlers.get(ListResourceTemplatesRequest)


def find_sdk_parameters(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that the SDK fills in."""
    contexts = [find_context_parameter(handler), find_parameter(handler, RequestContext)]
    return [name for name in contexts if name]


async def call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a handler with its arguments and the SDK's contexts."""
    if name := find_context_parameter(handler):
        values[name] = _make_context(server)
    if name := find_parameter(handler, RequestContext):
        values[name] = get_lowlevel_server(server).request_context
    value = handler(**values)
    return await value if inspect.isawaitable(value) else value


def _make_context(server: Server) -> Context[Any, Any, Any]:
    if isinstance(server, FastMCP):
        return server.get_context()
    return Context(request_context=server.request_context)


def find_public_error(error: Exception) -> McpError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, McpError):
        return error
    if isinstance(error, FastMCPError):
        return McpError(ErrorData(code=INTERNAL_ERROR, message=str(error)))
    return None
