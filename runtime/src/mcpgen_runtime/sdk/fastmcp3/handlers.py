"""Bind handlers of resources and prompts to a `FastMCP` server of fastmcp 2.13 to 3.x, which calls them as its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from . import REQUIREMENT

REQUIREMENT.check_version()

from anyio import to_thread
from fastmcp import Context
from fastmcp.exceptions import FastMCPError

from ... import handlers
from ...low_level import HandlerSeam, Request
from ...mcp_1_server import LOW_LEVEL
from .internals import Server as Server
from .internals import find_injected, get_lowlevel_server, strip_injected


async def _call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any], request: Request) -> Any:
    """Call a handler with its arguments, the Context and dependencies; synchronous ones run in a thread."""
    function = strip_injected(handler)
    async with Context(fastmcp=server):
        if inspect.iscoroutinefunction(function):
            return await function(**values)
        value = await to_thread.run_sync(partial(function, **values))
        return await value if inspect.isawaitable(value) else value


_SEAM = HandlerSeam(LOW_LEVEL, get_lowlevel_server, find_injected, _call_handler, (FastMCPError,))


class ResourceBinding(handlers.ResourceBinding[Server]):
    """Binds handlers to the resources of a package: base of the generated `Resources`."""

    _seam = _SEAM


class PromptBinding(handlers.PromptBinding[Server]):
    """Binds handlers to the prompts of a package: base of the generated `Prompts`."""

    _seam = _SEAM
