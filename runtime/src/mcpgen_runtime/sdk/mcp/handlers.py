"""Bind handlers of resources and prompts to servers of mcp 2.x, which call them as their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import MCPServerError
from mcp.server.mcpserver.utilities.context_injection import find_context_parameter

from ... import handlers
from ...low_level import HandlerSeam, Request
from ...mcp_2_server import LOW_LEVEL
from ...tool_handlers import find_annotated_parameter
from .internals import Server as Server
from .internals import find_context_parameters, get_lowlevel_server, get_subscriptions


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments and the SDK's contexts; synchronous ones run in a thread."""
    if name := find_context_parameter(handler):
        own = server if isinstance(server, MCPServer) else None
        bus = None if own is None else get_subscriptions(own)
        values[name] = Context(request_context=request.context, mcp_server=own, subscriptions=bus)
    if name := find_annotated_parameter(handler, ServerRequestContext):
        values[name] = request.context
    if inspect.iscoroutinefunction(handler):
        return await handler(**values)
    value = await anyio.to_thread.run_sync(partial(handler, **values))
    return await value if inspect.isawaitable(value) else value


_SEAM = HandlerSeam(LOW_LEVEL, get_lowlevel_server, find_context_parameters, _call_handler, (MCPServerError,))


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
