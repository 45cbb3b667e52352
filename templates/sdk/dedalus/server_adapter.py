"""Handlers as the tools of an `MCPServer` of dedalus-mcp."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypedDict, get_args

from dedalus_mcp import Context, MCPServer, ToolError, ToolSpec, get_context
from dedalus_mcp.server.dependencies import Depends
from dedalus_mcp.server.dependencies.solver import resolve
from dedalus_mcp.server.result_normalizers import normalize_tool_result
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, Icon, ToolAnnotations
from pydantic import TypeAdapter

from .binding import IN_PROCESS, ArgumentsError, Binding, Bound, declared, session_version
from .requests import in_form

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Server: TypeAlias = MCPServer
AnyContext: TypeAlias = Context
Interim: TypeAlias = Never
"""What a handler may return in place of a result: nothing on this SDK."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class Options(TypedDict, total=False):
    """What dedalus-mcp lets one say of a tool beside its definition."""

    tags: set[str]
    enabled: Callable[[MCPServer], bool] | Depends
    required_scopes: set[str]


def _handler(bound: Bound) -> Callable[..., Any]:
    """A handler as dedalus-mcp calls it: with the client's arguments alone, so that none is taken for an injected one."""
    contexts, dependencies = _injected(bound.handler)

    async def handler(**arguments: Any) -> CallToolResult:
        version = session_version.get() or IN_PROCESS
        try:
            given = bound.read(arguments)
        except ArgumentsError as error:
            return bound.refused(error, version)
        try:
            for name in contexts:
                given[name] = get_context()
            for name, dependency in dependencies.items():
                given[name] = await resolve(dependency)
            value = bound.handler(**given)
            if inspect.isawaitable(value):
                value = await value
            if bound.as_sdk:
                return normalize_tool_result(value)
        except (ToolError, McpError):
            raise
        except Exception:
            return bound.failed(version)
        return bound.answer(value, version)

    return handler


def _injected(handler: Callable[..., Any]) -> tuple[list[str], dict[str, Depends]]:
    """The parameters that are a Context, and those that are dependencies."""
    parameters = _parameters(handler)
    dependencies = {
        name: one.default for name, one in parameters.items() if isinstance(one.default, Depends)
    }
    contexts = [name for name, one in parameters.items() if _is_context(one.annotation)]
    return contexts, dependencies


def _parameters(handler: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(handler, eval_str=True).parameters
    except NameError:  # an annotation that is imported for checkers alone
        return inspect.signature(handler).parameters


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removesuffix(" | None").rpartition(".")[2] == "Context"
    return annotation is Context or Context in get_args(annotation)


class Glue(Binding):
    """Binds to an `MCPServer` of dedalus-mcp."""

    def __init__(self, server: Server, package: str, names: Mapping[str, str]) -> None:
        super().__init__(package, names)
        self._server = server
        in_form(server, self, server.tools.call_tool)

    def options(self, **options: Unpack[Options]) -> Self:
        """The same tools, to be bound with these options: `@tools.options(tags={"a"}).name`."""
        return self._with(options)

    def _injected(self, handler: Callable[..., Any]) -> Iterable[str]:
        contexts, dependencies = _injected(handler)
        return {*contexts, *dependencies}

    def _register(self, bound: Bound, options: Mapping[str, Any]) -> None:
        if bound.tool in self._server.tool_names:
            raise TypeError(f"the server has a tool {bound.tool} already")
        definition = declared(bound.tool, IN_PROCESS)
        self._server.register_tool(
            ToolSpec(
                name=bound.tool,
                fn=_handler(bound),
                description=definition.get("description", ""),
                input_schema=definition["inputSchema"],
                title=definition.get("title"),
                output_schema=definition.get("outputSchema"),
                annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
                icons=_ICONS.validate_python(definition.get("icons")),
                **options,
            )
        )
