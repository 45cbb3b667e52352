"""Register handlers as tools of an `MCPServer` of dedalus-mcp."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeAlias, TypedDict, get_args

from ...sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

from dedalus_mcp import Context, MCPServer, ToolError, ToolSpec, get_context
from dedalus_mcp.server.dependencies import Depends
from dedalus_mcp.server.dependencies.solver import resolve
from dedalus_mcp.server.result_normalizers import normalize_tool_result
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, Icon, ToolAnnotations
from pydantic import TypeAdapter

from ...call_tool_results import tool_error
from ...package import Package
from ...sdk_versions import check_server, name_taken
from ...server_binding import (
    IN_PROCESS,
    ArgumentsError,
    Binding,
    BoundTool,
    session_version,
)
from .version_adapter import adapt_server

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Unpack

Server: TypeAlias = MCPServer
SERVERS = "an MCPServer of dedalus-mcp"
"""The servers that can be bound to, for messages."""
AnyContext: TypeAlias = Context
InterimResult: TypeAlias = Never
"""Values that a handler may return instead of a result: none on this SDK."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class Options(TypedDict, total=False):
    """Options of a tool in dedalus-mcp besides its definition."""

    tags: set[str]
    enabled: Callable[[MCPServer], bool] | Depends
    required_scopes: set[str]


def _wrap_handler(bound: BoundTool) -> Callable[..., Any]:
    """Wrap a handler to take only the client's arguments, so that dedalus-mcp takes none for an injected one."""
    contexts, dependencies = _split_injected(bound.handler)

    async def call_handler(**arguments: Any) -> CallToolResult:
        version = session_version.get() or IN_PROCESS
        try:
            values = bound.read(arguments)
        except ArgumentsError as error:
            return bound.reject_arguments(error, version)
        try:
            for name in contexts:
                values[name] = get_context()
            for name, dependency in dependencies.items():
                values[name] = await resolve(dependency)
            value = bound.handler(**values)
            if inspect.isawaitable(value):
                value = await value
            if bound.as_sdk:
                return normalize_tool_result(value)
            return bound.answer(value, version)
        except (ToolError, McpError):
            raise
        except Exception as error:
            if not bound.raises:
                return bound.report_failure(version)
            if isinstance(error, TypeError):
                raise  # dedalus-mcp takes it for wrong arguments
            return tool_error(str(error), version)

    return call_handler


def _split_injected(handler: Callable[..., Any]) -> tuple[list[str], dict[str, Depends]]:
    """Return the parameters that are a Context, and those that are dependencies."""
    parameters = _get_parameters(handler)
    dependencies = {
        name: parameter.default for name, parameter in parameters.items() if isinstance(parameter.default, Depends)
    }
    contexts = [name for name, parameter in parameters.items() if _is_context(parameter.annotation)]
    return contexts, dependencies


def _get_parameters(handler: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(handler, eval_str=True).parameters
    except (AttributeError, NameError):  # an annotation that is only imported for type checkers
        return inspect.signature(handler).parameters


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removesuffix(" | None").rpartition(".")[2] == "Context"
    return annotation is Context or Context in get_args(annotation)


class SdkBinding(Binding):
    """Binds to an `MCPServer` of dedalus-mcp."""

    _parses_text: ClassVar[bool] = False

    def __init__(self, server: Server, package: Package) -> None:
        super().__init__(package)
        check_server(server, (MCPServer,), SERVERS)
        self._server = server
        adapt_server(server, self._bound, server.tools.call_tool)

    def options(self, **options: Unpack[Options]) -> Self:
        """Return the same tools, to bind with these options: `@tools.options(tags={"a"}).name`."""
        return self._copy_with_options(options, Options.__annotations__)

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        contexts, dependencies = _split_injected(handler)
        return {*contexts, *dependencies}

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._server.tool_names:
            raise TypeError(name_taken(bound.tool))
        definition = bound.info.advertise(IN_PROCESS)
        self._server.register_tool(
            ToolSpec(
                name=bound.tool,
                fn=_wrap_handler(bound),
                description=definition.get("description", ""),
                input_schema=definition["inputSchema"],
                title=definition.get("title"),
                output_schema=definition.get("outputSchema"),
                annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
                icons=_ICONS.validate_python(definition.get("icons")),
                **options,
            )
        )
