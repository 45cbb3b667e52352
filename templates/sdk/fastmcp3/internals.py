"""What differs between the versions of fastmcp from 2.13 to 3.x, and the private attributes that this package reads."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from fastmcp import Context, FastMCP
from fastmcp.server import dependencies
from fastmcp.server.dependencies import get_context
from mcp.server.lowlevel import Server

from .context_parameters import find_parameter
from .sdk_requirement import REQUIREMENT


def get_low_level_server(server: FastMCP[Any]) -> Server[Any, Any]:
    """Return the low-level server of a `FastMCP`."""
    low_level: Server[Any, Any] = REQUIREMENT.read_private(server, "_mcp_server")
    return low_level


def strip_injected(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler without the parameters that fastmcp fills in: contexts, and from 2.14 on dependencies."""
    transform = getattr(dependencies, "transform_context_annotations", None)  # from 3.0 on
    strip = getattr(dependencies, "without_injected_parameters", None)  # from 2.14 on
    if strip is None:
        return _strip_context(handler)
    stripped: Callable[..., Any] = strip(handler if transform is None else transform(handler))
    return stripped


def _strip_context(handler: Callable[..., Any]) -> Callable[..., Any]:
    name = find_parameter(handler, Context)
    if name is None:
        return handler

    def call(**arguments: Any) -> Any:
        return handler(**arguments, **{name: get_context()})

    signature = inspect.signature(handler)
    others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
    call.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    return call
