"""Bind handlers of resources and prompts to a `FastMCP` server of fastmcp 4.x, which calls them as its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

from fastmcp.exceptions import FastMCPError, to_mcp_error
from fastmcp.server.context import Context
from fastmcp.server.dependencies import bind_request_context
from fastmcp.utilities.async_utils import call_sync_fn_in_threadpool
from mcp.server.lowlevel import Server as LowLevelServer

from ... import handlers
from ...low_level import HandlerSeam, Request
from ...mcp_2_server import LOW_LEVEL
from .internals import Server as Server
from .internals import find_injected, get_lowlevel_server, strip_injected


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments, the Context and dependencies; synchronous ones run in a thread."""
    function = strip_injected(handler)
    with bind_request_context(request.context):
        async with Context(fastmcp=server):
            if inspect.iscoroutinefunction(function):
                return await function(**values)
            value = await call_sync_fn_in_threadpool(function, **values)
            return await value if inspect.isawaitable(value) else value


class _HandlerSeam(HandlerSeam[Server, LowLevelServer[Any]]):
    """The same, with fastmcp's own codes of errors."""

    def find_public_error(self, error: Exception) -> Exception | None:
        """Return the error for the client if a handler raised one of the SDK's own; None for others."""
        if not isinstance(error, FastMCPError):
            return super().find_public_error(error)
        described = to_mcp_error(error).error
        return self.low_level.make_error(described.code, described.message, described.data)


_SEAM = _HandlerSeam(LOW_LEVEL, get_lowlevel_server, find_injected, _call_handler, (FastMCPError,))


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
