"""Servers of fastmcp 2.13 to 3.x, and the only module that uses their private members and knows their differences.

Tested with fastmcp 2.13 and 3.4. A version without such a member makes `bind` raise `WrongSdk`, which names the
versions.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, TypeAlias

from fastmcp import Context, FastMCP
from fastmcp.server import dependencies
from fastmcp.server.dependencies import get_context
from fastmcp.tools import FunctionTool
from fastmcp.utilities import json_schema
from mcp.server.lowlevel import Server as LowLevelServer

from ...server_binding import BoundTool, check_server
from ...tool_handlers import find_annotated_parameter
from . import REQUIREMENT

Server: TypeAlias = FastMCP[Any]
"""The servers that can be bound to."""
MARKS_WRAPPED = importlib.util.find_spec("fastmcp.tools.base") is not None
"""Whether results say in `_meta` that their value is wrapped: from 3.2 on."""


def get_lowlevel_server(server: Server) -> LowLevelServer[Any, Any]:
    """Return the server that answers the requests, or raise TypeError: the object is not such a server."""
    check_server(server, (FastMCP,), "a FastMCP of fastmcp 2.13 to 3")
    low_level: LowLevelServer[Any, Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def find_injected(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that fastmcp fills in."""
    remaining = inspect.signature(strip_injected(handler)).parameters
    return inspect.signature(handler).parameters.keys() - remaining.keys()


def strip_injected(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler without the parameters that fastmcp fills in: contexts, and from 2.14 on dependencies."""
    transform = getattr(dependencies, "transform_context_annotations", None)  # from 3.0 on
    strip = getattr(dependencies, "without_injected_parameters", None)  # from 2.14 on
    if strip is None:
        return _strip_context(handler)
    stripped: Callable[..., Any] = strip(handler if transform is None else transform(handler))
    return stripped


def find_task_config(bound: BoundTool) -> Any:
    """Return fastmcp's configuration of a tool that may run as a task; None: it may not, or fastmcp has no tasks.

    It has them from 2.14 on, with its extra `tasks`.
    """
    is_available: Callable[[], bool] = getattr(dependencies, "is_docket_available", lambda: False)
    if bound.task_mode == "forbidden" or not is_available():
        return None
    from fastmcp.server.tasks.config import TaskConfig

    return TaskConfig(mode=bound.task_mode)


def list_forms(tool: FunctionTool) -> Sequence[dict[str, Any]]:
    """Return a tool as fastmcp lists it: as it is, and without references, by the server's `dereference_schemas`.

    Empty before 3.0, since there the list depends on more options of the server.
    """
    if "include_fastmcp_meta" in inspect.signature(tool.to_mcp_tool).parameters:
        return ()
    model = tool.to_mcp_tool(name=tool.name)
    listed = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    dereference = getattr(json_schema, "dereference_refs", copy)
    schemas = {key: dereference(item) for key, item in listed.items() if key.endswith("Schema")}
    return [listed, {**listed, **schemas}]


def _strip_context(handler: Callable[..., Any]) -> Callable[..., Any]:
    name = find_annotated_parameter(handler, Context)
    if name is None:
        return handler

    def call(**arguments: Any) -> Any:
        return handler(**arguments, **{name: get_context()})

    signature = inspect.signature(handler)
    others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
    call.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    return call
