"""Bind handlers of resources and prompts to servers of mcp 1.x, which call them as their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.shared.context import RequestContext

from ... import handlers
from ...low_level import HandlerSeam, Request
from ...mcp_1_server import LOW_LEVEL
from ...tool_handlers import find_annotated_parameter
from .internals import Server as Server
from .internals import find_context_parameters, get_lowlevel_server


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments and the SDK's contexts."""
    if name := find_context_parameter(handler):
        if isinstance(server, FastMCP):
            values[name] = server.get_context()
        else:
            values[name] = Context(request_context=server.request_context)
    if name := find_annotated_parameter(handler, RequestContext):
        values[name] = get_lowlevel_server(server).request_context
    value = handler(**values)
    return await value if inspect.isawaitable(value) else value


_SEAM = HandlerSeam(LOW_LEVEL, get_lowlevel_server, find_context_parameters, _call_handler, (FastMCPError,))


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
