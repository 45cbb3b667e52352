"""Servers of dedalus-mcp and what they fill in for handlers. No private member of the SDK is used."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from dedalus_mcp import Context, MCPServer, get_context
from dedalus_mcp.server.dependencies import Depends
from dedalus_mcp.server.dependencies.solver import resolve

from ...server_binding import check_server

Server: TypeAlias = MCPServer
"""The servers that can be bound to."""


def get_lowlevel_server(server: Server) -> MCPServer:
    """Return the server that answers the requests, which is the object itself.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (MCPServer,), "an MCPServer of dedalus-mcp")
    return server


class Injected:
    """The parameters of a handler that are a Context or a dependency."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        parameters = _get_parameters(handler)
        self._contexts = [name for name, parameter in parameters.items() if _is_context(parameter.annotation)]
        self._dependencies = {
            name: parameter.default for name, parameter in parameters.items() if isinstance(parameter.default, Depends)
        }

    @property
    def names(self) -> set[str]:
        """The names of the parameters."""
        return {*self._contexts, *self._dependencies}

    async def fill_in(self, values: dict[str, Any]) -> None:
        """Add the Context and the dependencies of the current request to the values of a call."""
        for name in self._contexts:
            values[name] = get_context()
        for name, dependency in self._dependencies.items():
            values[name] = await resolve(dependency)


def _get_parameters(handler: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(handler, eval_str=True).parameters
    except (AttributeError, NameError):  # an annotation that is only imported for type checkers
        return inspect.signature(handler).parameters


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removesuffix(" | None").rpartition(".")[2] == "Context"
    return annotation is Context or Context in get_args(annotation)
