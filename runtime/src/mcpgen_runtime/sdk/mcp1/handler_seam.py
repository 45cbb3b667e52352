"""Bind handlers of resources and prompts to servers of mcp 1.x, which call them as their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.context import RequestContext

from ... import prompt_binding, resource_binding
from ...context_parameters import find_parameter
from ...handler_seam import Request
from ...mcp_1 import handler_seam
from .internals import Server, find_context_parameters, get_lowlevel_server


class HandlerSeam(handler_seam.HandlerSeam[Server]):
    """Calls handlers as a `FastMCP` does."""

    own_errors = (FastMCPError,)

    def get_lowlevel_server(self, server: Server) -> LowLevelServer[Any, Any]:
        """Return the server that answers the requests."""
        return get_lowlevel_server(server)

    def find_parameters(self, handler: Callable[..., Any]) -> list[str]:
        """Return the parameters of a handler that the SDK fills in."""
        return find_context_parameters(handler)

    async def call_handler(
        self, server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request
    ) -> Any:
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


class ResourceBinding(resource_binding.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = HandlerSeam()


class PromptBinding(prompt_binding.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = HandlerSeam()


__all__ = ["PromptBinding", "ResourceBinding"]
