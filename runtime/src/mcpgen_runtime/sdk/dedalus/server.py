"""What generated servers import for dedalus-mcp: bind handlers to an `MCPServer`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self, TypeAlias, TypedDict, TypeVar, Unpack, get_args

from . import REQUIREMENT

REQUIREMENT.check_version()

from dedalus_mcp import Context, MCPServer, ToolError, ToolSpec, get_context
from dedalus_mcp.server.dependencies import Depends
from dedalus_mcp.server.dependencies.solver import resolve
from dedalus_mcp.server.result_normalizers import normalize_tool_result
from mcp.shared.exceptions import McpError
from mcp.types import Icon, ToolAnnotations
from pydantic import TypeAdapter

from ... import server_binding
from ...linked_results import ResultStore as ResultStore
from ...low_level import Request
from ...mcp_1_server import LOW_LEVEL
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, check_server, name_taken, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED

Server: TypeAlias = MCPServer
"""The servers that can be bound to."""
AnyContext: TypeAlias = Context
InterimResult: TypeAlias = Never
"""Values that a handler may return instead of a result: none on this SDK."""

if TYPE_CHECKING:
    from ...sdk_types import MaybeAwaitable, Returned, ReturnedArray, T, TakesArguments, TakesArgumentsWithContext

    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class Options(TypedDict, total=False):
    """Options of a tool in dedalus-mcp besides its definition."""

    tags: set[str]
    enabled: Callable[[MCPServer], bool] | Depends
    required_scopes: set[str]


def get_lowlevel_server(server: Server) -> MCPServer:
    """Return the server that answers the requests, which is the object itself, or raise TypeError."""
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


def _wrap_handler(bound: BoundTool) -> Callable[..., Any]:
    """Wrap a handler to take only the client's arguments, so that dedalus-mcp takes none for an injected one."""
    injected = Injected(bound.handler)

    async def call_handler(**arguments: Any) -> Any:
        version = session_version.get() or IN_PROCESS
        try:
            values = bound.read(arguments)
        except ArgumentsError as error:
            return bound.reject_arguments(error, version)
        try:
            await injected.fill_in(values)
            value = bound.handler(**values)
            if inspect.isawaitable(value):
                value = await value
            if bound.info.as_sdk:
                return normalize_tool_result(value)
            return bound.answer(value, version)
        except (ToolError, McpError):
            raise
        except Exception as error:
            if not bound.info.raises:
                return bound.report_failure(version)
            if isinstance(error, TypeError):
                raise  # dedalus-mcp takes it for wrong arguments
            return bound.types.tool_error(str(error), version)

    return call_handler


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    _parses_text: ClassVar[bool] = False

    def _adapt_server(self, server: Server) -> MCPServer:
        own = LOW_LEVEL.get_handler(get_lowlevel_server(server), "tools/call")

        async def call_tool(request: Request) -> Any:
            name = request.params.name
            if name in self._bound or own is None:
                return await server.tools.call_tool(name, request.params.arguments or {})
            return await own(request)

        LOW_LEVEL.adapt(server, self._bound, self._results, call_tool=call_tool)
        return server

    def options(self, **options: Unpack[Options]) -> Self:
        """Return the same tools, to bind with these options: `@tools.options(tags={"a"}).name`."""
        return self._copy_with_options(options, Options.__annotations__)

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return Injected(handler).names

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._server.tool_names:
            raise TypeError(name_taken(bound.tool))
        members = bound.describe()
        self._server.register_tool(
            ToolSpec(
                name=bound.tool,
                fn=_wrap_handler(bound),
                description=members["description"] or "",
                input_schema=members["parameters"],
                title=members["title"],
                output_schema=members["output_schema"],
                annotations=_ANNOTATIONS.validate_python(members["annotations"]),
                icons=_ICONS.validate_python(members["icons"]),
                **options,
            )
        )
