"""Call handlers of resources and prompts as a `FastMCP` server of fastmcp 2.13 to 3.x calls its own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from anyio import to_thread
from fastmcp import Context, FastMCP
from fastmcp.exceptions import FastMCPError
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.shared.exceptions import McpError
from mcp.types import INTERNAL_ERROR, ErrorData, ListResourceTemplatesRequest

from .internals import get_low_level_server, strip_injected
from ...sdk_versions import check_server
from .server_adapter import SERVERS, Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any, Any]:
    """Return the server that answers the requests.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (FastMCP,), SERVERS)
    return get_low_level_server(server)


def get_template_list(server: Server) -> Callable[[Any], Awaitable[Any]] | None:
    """Return the handler of `resources/templates/list`; None if there is none."""
    return get_lowlevel_server(server).request_handlers.get(ListResourceTemplatesRequest)


def find_sdk_parameters(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that fastmcp fills in."""
    remaining = inspect.signature(strip_injected(handler)).parameters
    return inspect.signature(handler).parameters.keys() - remaining.keys()


async def call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a handler with its arguments, the Context and dependencies; synchronous ones run in a thread."""
    function = strip_injected(handler)
    async with Context(fastmcp=server):
        if inspect.iscoroutinefunction(function):
            return await function(**values)
        value = await to_thread.run_sync(partial(function, **values))
        return await value if inspect.isawaitable(value) else value


def find_public_error(error: Exception) -> McpError | None:
    """Return the error for the client if a handler raised one of the SDK's own; None for others."""
    if isinstance(error, McpError):
        return error
    if isinstance(error, FastMCPError):
        return McpError(ErrorData(code=INTERNAL_ERROR, message=str(error)))
    return None
