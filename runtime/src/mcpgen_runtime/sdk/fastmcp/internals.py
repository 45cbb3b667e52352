"""Servers of fastmcp 4.x, and the only module that uses their private members. Tested with fastmcp 4.0 to 4.1.

A version without such a member makes `bind`, or a request that needs it, raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from fastmcp import FastMCP
from fastmcp.server.dependencies import transform_context_annotations, without_injected_parameters
from fastmcp.tools.function_tool import FunctionTool
from fastmcp.utilities.tasks import TASKS_EXTENSION_ID
from mcp.server.lowlevel import Server as LowLevelServer
from pydantic import TypeAdapter

from ...server_binding import check_server
from . import REQUIREMENT

Server: TypeAlias = FastMCP[Any]
"""The servers that can be bound to."""


def get_lowlevel_server(server: Server) -> LowLevelServer[Any]:
    """Return the server that answers the requests, or raise TypeError: the object is not such a server."""
    check_server(server, (FastMCP,), "a FastMCP of fastmcp 4")
    low_level: LowLevelServer[Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def list_components(server: Server) -> list[object]:
    """Return the tools, resources and prompts of a server, as they were added."""
    components: dict[str, object] = REQUIREMENT.read_private(server.local_provider, "_components")
    return [*components.values()]


def has_tasks(server: Server) -> bool:
    """Return whether fastmcp's tasks extension has been added to a server."""
    return TASKS_EXTENSION_ID in REQUIREMENT.read_private(server, "_extensions")


async def run_body(tool: FunctionTool, call: object, is_async: bool, values: dict[str, Any]) -> Any:
    """Call a tool's function as fastmcp does: with its time limit, in a thread if it is synchronous.

    `call` takes the place of the validator of the arguments, and calls the function.
    """
    body = REQUIREMENT.read_private(tool, "_run_body")
    return await body(cast(TypeAdapter[Any], call), is_async, values, strict=None)


def strip_injected(handler: Callable[..., Any], run_in_thread: bool = True) -> Callable[..., Any]:
    """Return a handler without the parameters that fastmcp fills in: contexts and dependencies."""
    return without_injected_parameters(transform_context_annotations(handler), run_in_thread=run_in_thread)


def find_injected(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that fastmcp fills in."""
    remaining = inspect.signature(strip_injected(handler)).parameters
    return inspect.signature(handler).parameters.keys() - remaining.keys()
