"""The only module of this package that uses private attributes of fastmcp 4.x."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from fastmcp import FastMCP
from fastmcp.tools.function_tool import FunctionTool
from mcp.server.lowlevel import Server
from pydantic import TypeAdapter

from ...sdk_requirement import REQUIREMENT


def get_low_level_server(server: FastMCP[Any]) -> Server[Any]:
    """Return the low-level server of a `FastMCP`."""
    low_level: Server[Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def list_components(server: FastMCP[Any]) -> list[object]:
    """Return the tools, resources and prompts of a `FastMCP`, as they were added."""
    components: dict[str, object] = REQUIREMENT.read_private(server.local_provider, "_components")
    return [*components.values()]


async def run_body(tool: FunctionTool, call: object, is_async: bool, values: dict[str, Any]) -> Any:
    """Call a tool's function as fastmcp does: with its time limit, in a thread if it is synchronous.

    Args:
        tool: the tool.
        call: replaces the validator of the arguments, which calls the function.
        is_async: the function is a coroutine function.
        values: the arguments.
    """
    body = REQUIREMENT.read_private(tool, "_run_body")
    return await body(cast(TypeAdapter[Any], call), is_async, values, strict=None)


def find_path_rules(server: object) -> Callable[[Mapping[str, str]], object] | None:
    """Return a function that names the variable of a URI that the server's rules refuse; None without rules."""
    if not hasattr(server, "_resource_security"):  # an older version, or a low-level server
        return None
    security = REQUIREMENT.read_private(server, "_resource_security")
    return (lambda _: None) if security is None else security.validate
