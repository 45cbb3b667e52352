"""Bind handlers of resources and prompts to an `MCPServer` of dedalus-mcp, which calls them as its own tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dedalus_mcp import ToolError
from dedalus_mcp.context import context_scope
from mcp.types import ListResourceTemplatesRequest, ServerResult
from pydantic import BaseModel

from ... import handlers
from ...handlers import Request
from ...mcp_1 import handler_seam
from .internals import Injected, Server, get_lowlevel_server


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments, the Context and its dependencies."""
    with context_scope():
        await Injected(handler).fill_in(values)
        value = handler(**values)
        return await value if inspect.isawaitable(value) else value


class _HandlerSeam(handler_seam.HandlerSeam[Server]):
    """The same, with a list of templates that works."""

    def find_handler(self, server: Any, request: type[BaseModel]) -> handler_seam.Handler | None:
        """Return the server's own handler; for lists of templates not the one of dedalus-mcp, which always fails."""
        if request is not ListResourceTemplatesRequest:
            return super().find_handler(server, request)

        async def list_templates(request: ListResourceTemplatesRequest | None) -> ServerResult:
            cursor = request.params.cursor if request is not None and request.params else None
            return ServerResult(await server.list_resource_templates_paginated(cursor))

        return list_templates


_SEAM = _HandlerSeam(get_lowlevel_server, lambda handler: Injected(handler).names, _call_handler, (ToolError,))


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
