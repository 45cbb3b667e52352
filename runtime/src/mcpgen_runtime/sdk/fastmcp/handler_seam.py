"""Call handlers of resources and prompts as a `FastMCP` server of fastmcp 4.x calls its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import FastMCPError, to_mcp_error
from fastmcp.server.context import Context
from fastmcp.server.dependencies import (
    bind_request_context,
    transform_context_annotations,
    without_injected_parameters,
)
from fastmcp.utilities.async_utils import call_sync_fn_in_threadpool
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.shared.exceptions import MCPError

from .internals import get_low_level_server
from ...sdk_versions import check_server
from .server_adapter import SERVERS, Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any]:
    """Return the server that answers the requests.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (FastMCP,), SERVERS)
    return get_low_level_server(server)


def find_sdk_parameters(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that fastmcp fills in."""
    remaining = inspect.signature(_strip_injected(handler)).parameters
    return inspect.signature(handler).parameters.keys() - remaining.keys()


def _strip_injected(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler without the parameters that fastmcp fills in."""
    return without_injected_parameters(transform_context_annotations(handler))


async def call_handler(
    server: Server,
    handler: Callable[..., Any],
    values: dict[str, Any],
    context: ServerRequestContext[Any, Any],
) -> Any:
    """Call a handler with its arguments, the Context and dependencies; synchronous ones run in a thread."""
    function = _strip_injected(handler)
    with bind_request_context(context):
        async with Context(fastmcp=server):
            if inspect.iscoroutinefunction(function):
                return await function(**values)
            value = await call_sync_fn_in_threadpool(function, **values)
            return await value if inspect.isawaitable(value) else value


def find_public_error(error: Exception) -> MCPError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, MCPError):
        return error
    if not isinstance(error, FastMCPError):
        return None
    described = to_mcp_error(error).error
    return MCPError(described.code, described.message, described.data)
