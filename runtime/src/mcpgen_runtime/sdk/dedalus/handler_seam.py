"""Bind handlers of resources and prompts to an `MCPServer` of dedalus-mcp, which calls them as its own tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dedalus_mcp import ToolError
from dedalus_mcp.context import context_scope
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.types import ListResourceTemplatesRequest, ServerResult
from pydantic import BaseModel

from ... import prompt_binding, resource_binding
from ...handler_seam import Request
from ...mcp_1 import handler_seam
from .internals import Injected, Server, get_lowlevel_server


class HandlerSeam(handler_seam.HandlerSeam[Server]):
    """Calls handlers as an `MCPServer` calls its tools."""

    own_errors = (ToolError,)

    def get_lowlevel_server(self, server: Server) -> LowLevelServer[Any, Any]:
        """Return the server that answers the requests."""
        return get_lowlevel_server(server)

    def find_parameters(self, handler: Callable[..., Any]) -> set[str]:
        """Return the parameters of a handler that the SDK fills in."""
        return Injected(handler).names

    def find_handler(self, server: Any, request: type[BaseModel]) -> handler_seam.Handler | None:
        """Return the server's own handler; for lists of templates not the one of dedalus-mcp, which always fails."""
        if request is not ListResourceTemplatesRequest:
            return super().find_handler(server, request)

        async def list_templates(request: ListResourceTemplatesRequest | None) -> ServerResult:
            cursor = request.params.cursor if request is not None and request.params else None
            return ServerResult(await server.list_resource_templates_paginated(cursor))

        return list_templates

    async def call_handler(
        self, server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request
    ) -> Any:
        """Call a handler with its arguments, the Context and its dependencies."""
        with context_scope():
            await Injected(handler).fill_in(values)
            value = handler(**values)
            return await value if inspect.isawaitable(value) else value


class ResourceBinding(resource_binding.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = HandlerSeam()


class PromptBinding(prompt_binding.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = HandlerSeam()


__all__ = ["PromptBinding", "ResourceBinding"]
