"""Bind handlers of resources and prompts to an `MCPServer` of dedalus-mcp, which calls them as its own tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

from dedalus_mcp import ToolError
from dedalus_mcp.context import context_scope

from ... import handlers
from ...low_level import Handler, HandlerSeam, Request
from ...mcp_1_server import LowLevel
from .server import Injected, get_lowlevel_server
from .server import Server as Server


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments, the Context and its dependencies."""
    with context_scope():
        await Injected(handler).fill_in(values)
        value = handler(**values)
        return await value if inspect.isawaitable(value) else value


class _LowLevel(LowLevel):
    """The same, with a list of templates that works."""

    def get_handler(self, server: Any, method: str) -> Handler | None:
        """Return the server's own handler; for lists of templates not the one of dedalus-mcp, which always fails."""
        if method != "resources/templates/list":
            return super().get_handler(server, method)

        async def list_templates(request: Request) -> Any:
            return await server.list_resource_templates_paginated(getattr(request.params, "cursor", None))

        return list_templates


_SEAM = HandlerSeam(
    _LowLevel(), get_lowlevel_server, lambda handler: Injected(handler).names, _call_handler, (ToolError,)
)


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
