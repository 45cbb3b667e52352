"""What generated servers import for mcp 1.x: bind handlers to a `FastMCP` or a low-level `Server`."""

from __future__ import annotations

import inspect
import json
from collections import ChainMap
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar, cast

from . import REQUIREMENT

REQUIREMENT.check_version()

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError, ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.fastmcp.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.context import RequestContext
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, ServerResult, TextContent
from pydantic import PrivateAttr

from ... import low_level, server_binding
from ...linked_results import LinkedResults
from ...linked_results import ResultStore as ResultStore
from ...low_level import Handler, Request
from ...mcp_1_server import LOW_LEVEL, OwnHandler
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, name_taken, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED
from ...tool_handlers import find_annotated_parameter
from .internals import Server as Server
from .internals import find_context_parameters, get_lowlevel_server, get_tools

InterimResult: TypeAlias = Never
"""Values that a handler may return instead of a result: none on this SDK."""

if TYPE_CHECKING:
    from ...sdk_types import MaybeAwaitable, Returned, ReturnedArray, T, TakesArguments, TakesArgumentsWithContext

    class AnyContext(Context[Any, Any, Any], RequestContext[Any, Any, Any]):  # type: ignore[misc]  # pyright: ignore
        """The context of a request: a handler may take a Context or a RequestContext."""

    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""

else:
    AnyContext = Context[Any, Any, Any]

_SdkHandler: TypeAlias = Callable[[Any], Awaitable[ServerResult]]
_URL_ELICITATION_REQUIRED = -32042
"""The only code of a protocol error; mcp 1.22 has no name for it."""


class _Tool(Tool):
    """A bound tool in the SDK's form."""

    _bound: BoundTool = PrivateAttr()
    _request_kwarg: str | None = PrivateAttr()
    """The parameter for the low-level request context."""
    _is_low_level: bool = PrivateAttr()

    @classmethod
    def of(cls, bound: BoundTool, is_low_level: bool) -> _Tool:
        members = bound.describe()
        tool = cls(
            fn=bound.handler,
            description=members.pop("description") or "",
            fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=members.pop("output_schema")),
            is_async=inspect.iscoroutinefunction(bound.handler),
            context_kwarg=find_context_parameter(bound.handler),
            **members,
        )
        tool._bound, tool._is_low_level = bound, is_low_level
        tool._request_kwarg = find_annotated_parameter(bound.handler, RequestContext)
        return tool

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any, Any] | None = None, convert_result: bool = False
    ) -> Any:
        """Run the handler and convert its value; report only the SDK's own errors."""
        version = session_version.get() or IN_PROCESS
        try:
            values = self._bound.read(arguments)
        except ArgumentsError as error:
            return self._bound.reject_arguments(error, version)
        if self.context_kwarg is not None:
            values[self.context_kwarg] = context
        if self._request_kwarg is not None and context is not None:
            values[self._request_kwarg] = context.request_context
        try:
            value = self.fn(**values)
            if inspect.isawaitable(value):
                value = await value
            if self._bound.info.as_sdk:
                converted = _convert_own_result(value) if self._is_low_level else None
                return converted or _convert_result(self.fn_metadata, value)
            return self._bound.answer(value, version)
        except FastMCPError as error:
            raise ToolError(f"Error executing tool {self.name}: {error}") from error
        except McpError:
            raise
        except Exception as error:
            if self._bound.info.raises:
                raise ToolError(f"Error executing tool {self.name}: {error}") from error
            return self._bound.report_failure(version)


def _convert_result(metadata: FuncMetadata, value: object) -> CallToolResult:
    """Convert a value as the SDK does for a tool without an outputSchema."""
    converted = metadata.convert_result(value)
    return converted if isinstance(converted, CallToolResult) else CallToolResult(content=[*converted])


def _convert_own_result(value: Any) -> CallToolResult | None:
    """Convert a value as the server's own decorator does; None if it does not accept such values."""
    if isinstance(value, CallToolResult):
        return value
    if isinstance(value, dict):
        text = TextContent(type="text", text=json.dumps(value, indent=2))
        structured = cast(dict[str, Any], value)
        return CallToolResult(content=[text], structuredContent=structured)
    pair: list[Any] = [*cast(Any, value)] if isinstance(value, tuple) else []
    if len(pair) == 2 and isinstance(pair[1], dict):
        structured = cast(dict[str, Any], pair[1])
        return CallToolResult(content=[*pair[0]], structuredContent=structured)
    return None


class _Handlers(ChainMap[type, _SdkHandler]):
    """A server's own request handlers, which may get more, and before them those of the bound tools."""

    def __getitem__(self, request: type) -> _SdkHandler:
        own, front = self.maps
        return front[request] if request in front else own[request]


class _LowLevelTools(low_level.LowLevelTools[LowLevelServer[Any, Any]]):
    """Lists and calls tools on a low-level server; what its own handlers list and call stays."""

    def __init__(self, server: LowLevelServer[Any, Any], tools: Mapping[str, Tool]) -> None:
        super().__init__(LOW_LEVEL, server, tools)
        self._own: MutableMapping[type, _SdkHandler] = server.request_handlers

    def find_own(self, method: str) -> Handler | None:
        handler = self._own.get(LOW_LEVEL.classes[method][0])
        return None if handler is None else OwnHandler(handler)

    async def run(self, tool: Tool, request: Request) -> CallToolResult:
        context: Context[Any, Any, Any] = Context(request_context=self._server.request_context)
        try:
            result: CallToolResult = await tool.run(request.params.arguments or {}, context)
        except (ToolError, McpError) as error:
            if isinstance(error, McpError) and error.error.code == _URL_ELICITATION_REQUIRED:
                raise
            text = TextContent(type="text", text=str(error.__cause__ or error))
            return CallToolResult(content=[text], isError=True)
        return result

    def precede(self, bound: Mapping[str, BoundTool], results: LinkedResults) -> None:
        """Answer for the bound tools before the server's own handlers, those that it has and those that it gets."""
        front: dict[type, _SdkHandler] = {}
        self._server.request_handlers = front
        LOW_LEVEL.adapt(self._server, bound, results, self.list_tools, self.call_tool)
        self._server.request_handlers = cast(dict[type, _SdkHandler], _Handlers(self._own, front))


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    def _adapt_server(self, server: Server) -> LowLevelServer[Any, Any]:
        low_level = get_lowlevel_server(server)
        self._tools: dict[str, Tool]
        self._taken: set[str] = set()
        self._is_low_level = isinstance(server, LowLevelServer)
        if isinstance(server, FastMCP):
            self._tools = get_tools(server)
            LOW_LEVEL.adapt(low_level, self._bound, self._results)
        else:
            self._tools = {}
            self._taken = vars(server).setdefault("_bound_tools", set())
            _LowLevelTools(server, self._tools).precede(self._bound, self._results)
        return low_level

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_context_parameters(handler)

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools or bound.tool in self._taken:
            raise TypeError(name_taken(bound.tool))
        LOW_LEVEL.enable_tasks(get_lowlevel_server(self._server), bound)
        self._tools[bound.tool] = _Tool.of(bound, self._is_low_level)
        self._taken.add(bound.tool)
