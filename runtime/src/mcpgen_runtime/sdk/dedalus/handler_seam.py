"""Call handlers of resources and prompts as an `MCPServer` of dedalus-mcp calls its tools."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, get_args

from dedalus_mcp import Context, MCPServer, ToolError, get_context
from dedalus_mcp.context import context_scope
from dedalus_mcp.server.dependencies import Depends
from dedalus_mcp.server.dependencies.solver import resolve
from mcp.server.lowlevel import Server as LowlevelServer
from mcp.shared.exceptions import McpError
from mcp.types import (
    INTERNAL_ERROR,
    ErrorData,
    ListResourceTemplatesRequest,
    ServerResult,
)

from ...sdk_versions import check_server
from .server_adapter import SERVERS, Server


def get_lowlevel_server(server: Server) -> LowlevelServer[Any, Any]:
    """Return the server that answers the requests, which is the object itself.

    Raises:
        TypeError: the object is not such a server.
    """
    check_server(server, (MCPServer,), SERVERS)
    return server


def get_template_list(server: Server) -> Callable[[Any], Awaitable[Any]] | None:
    """Return the handler of `resources/templates/list`, without the one that dedalus-mcp registers: it always fails."""

    async def list_templates(request: ListResourceTemplatesRequest | None) -> ServerResult:
        cursor = request.params.cursor if request is not None and request.params else None
        return ServerResult(await server.list_resource_templates_paginated(cursor))

    return list_templates


def find_sdk_parameters(handler: Callable[..., Any]) -> Iterable[str]:
    """Return the parameters of a handler that are a Context or a dependency."""
    return [
        name
        for name, parameter in _get_parameters(handler).items()
        if isinstance(parameter.default, Depends) or _is_context(parameter.annotation)
    ]


def _get_parameters(handler: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(handler, eval_str=True).parameters
    except NameError:  # an annotation that is only imported for type checkers
        return inspect.signature(handler).parameters


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removesuffix(" | None").rpartition(".")[2] == "Context"
    return annotation is Context or Context in get_args(annotation)


async def call_handler(server: Server, handler: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a handler with its arguments, the Context and its dependencies."""
    with context_scope():
        for name in find_sdk_parameters(handler):
            default = _get_parameters(handler)[name].default
            is_dependency = isinstance(default, Depends)
            values[name] = await resolve(default) if is_dependency else get_context()
        value = handler(**values)
        return await value if inspect.isawaitable(value) else value


def find_public_error(error: Exception) -> McpError | None:
    """Return the error for the client if a handler raised one of the SDK's own errors; None for others."""
    if isinstance(error, McpError):
        return error
    if isinstance(error, ToolError):
        return McpError(ErrorData(code=INTERNAL_ERROR, message=str(error)))
    return None
