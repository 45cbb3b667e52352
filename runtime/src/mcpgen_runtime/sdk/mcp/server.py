"""What generated servers import for mcp 2.x: bind handlers to an `MCPServer` or a low-level `Server`."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from . import REQUIREMENT

REQUIREMENT.check_version()

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import MCPServerError, ToolError
from mcp.server.mcpserver.resolve import build_resolver_plans, find_resolved_parameters
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.context_injection import find_context_parameter
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, InputRequiredResult, TextContent
from pydantic import BaseModel, Field

from ... import low_level, server_binding
from ...linked_results import ResultStore as ResultStore
from ...low_level import Handler, Request
from ...mcp_2_server import LOW_LEVEL, OwnHandler
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, find_input_request, name_taken, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED
from ...tool_handlers import find_annotated_parameter
from .internals import Server as Server
from .internals import find_context_parameters, get_lowlevel_server, get_tools

_logger = logging.getLogger(__name__)

InterimResult: TypeAlias = InputRequiredResult
"""Value that a handler may return instead of a result, to ask the client for input (2026-07-28)."""

if TYPE_CHECKING:
    from ...sdk_types import MaybeAwaitable, Returned, ReturnedArray, T, TakesArguments, TakesArgumentsWithContext

    class AnyContext(Context[Any, Any], ServerRequestContext[Any, Any]):  # type: ignore[misc, override]  # pyright: ignore
        """The context of a request: a handler may take a Context or a ServerRequestContext."""

    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""

else:
    AnyContext = Context[Any, Any]


class _Metadata(FuncMetadata):
    """Metadata that leaves arguments unchanged: they already fit the handler."""

    bound: Any = Field(default=None, exclude=True, repr=False)
    """The `BoundTool`."""

    def convert_result(self, result: Any) -> Any:
        """Convert the handler's value here, where the SDK catches what an iterator in it raises."""
        bound: BoundTool = self.bound
        if bound.info.as_sdk:
            return super().convert_result(result)
        if type(result) is not bound.result and isinstance(result, InputRequiredResult):
            return result
        return bound.answer(result, session_version.get() or IN_PROCESS)

    def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
        return arguments_to_validate


class _SyncMetadata(_Metadata):
    """Metadata that awaits the return value of a synchronous handler, if necessary."""

    async def call_fn(self, *arguments: Any, **keywords: Any) -> Any:
        value = await super().call_fn(*arguments, **keywords)
        return await value if inspect.isawaitable(value) else value


class _Tool(Tool):
    """A bound tool in the SDK's form."""

    bound: Any = Field(default=None, exclude=True, repr=False)
    """The `BoundTool`; a field is faster to read than a private attribute."""
    request_kwarg: str | None = Field(default=None, exclude=True, repr=False)
    """The parameter for the low-level request context."""

    @classmethod
    def of(cls, bound: BoundTool) -> _Tool:
        members = bound.describe()
        resolved = find_resolved_parameters(bound.handler)
        is_async = inspect.iscoroutinefunction(bound.handler)
        tool = cls(
            fn=bound.handler,
            description=members.pop("description") or "",
            fn_metadata=(_Metadata if is_async else _SyncMetadata)(
                arg_model=ArgModelBase, output_schema=members.pop("output_schema"), bound=bound
            ),
            is_async=is_async,
            context_kwarg=find_context_parameter(bound.handler),
            resolved_params=resolved,
            resolver_plans=build_resolver_plans(resolved, set(bound.call.given)),
            **members,
        )
        tool.bound = bound
        tool.request_kwarg = find_annotated_parameter(bound.handler, ServerRequestContext)
        return tool

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the handler and convert its value; the SDK reports errors, and only the text of a ToolError."""
        bound: BoundTool = self.bound
        version = session_version.get() or IN_PROCESS
        try:
            values = bound.read(arguments)
        except ArgumentsError as error:
            return bound.reject_arguments(error, version)
        if self.request_kwarg is not None:
            values[self.request_kwarg] = context.request_context
        try:
            value = await super().run(values, context, True)
        except BaseException as error:
            value = InputRequiredResult.model_validate(find_input_request(error))
        if isinstance(value, InputRequiredResult):
            return bound.reject_input_request(version) or value
        return value


class _LowLevelTools(low_level.LowLevelTools[LowLevelServer[Any]]):
    """Lists and calls tools on a low-level server, in addition to those of its own handlers."""

    def __init__(self, server: LowLevelServer[Any], tools: Mapping[str, Tool]) -> None:
        super().__init__(LOW_LEVEL, server, tools)
        self._own = {method: LOW_LEVEL.get_handler(server, method) for method in ("tools/list", "tools/call")}

    def find_own(self, method: str) -> Handler | None:
        return self._own[method]

    async def run(self, tool: Tool, request: Request) -> Any:
        try:
            context = Context(request_context=request.context, input_params=request.params)
            return await tool.run(request.params.arguments or {}, context, convert_result=True)
        except ToolError as error:
            cause = error.__cause__ or error
            if isinstance(cause, MCPServerError):  # the handler wants the client to see this text
                return _make_error_result(str(cause))
            _logger.exception("Tool %r raised an unexpected exception", tool.name)
            return _make_error_result(f"Error executing tool {tool.name}")

    def keep_later_handlers(self) -> None:
        """Treat handlers that the server gets from now on as its own, after those of all packages."""
        vars(self._server).setdefault("add_request_handler", self._add_own)

    def _add_own(self, method: str, params_type: type[BaseModel], handler: Any) -> None:
        if method in self._own:
            self._own[method] = OwnHandler(handler)
        else:
            type(self._server).add_request_handler(self._server, method, params_type, handler)


def _make_error_result(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    def _adapt_server(self, server: Server) -> LowLevelServer[Any]:
        low_level = get_lowlevel_server(server)
        self._tools: dict[str, Tool]
        self._taken: set[str] = set()
        if isinstance(server, MCPServer):
            self._tools = get_tools(server)
            LOW_LEVEL.adapt(low_level, self._bound, self._results, list_own_tools=self._list_own_tools)
        else:
            self._tools = {}
            self._taken = vars(server).setdefault("_bound_tools", set())
            tools = _LowLevelTools(server, self._tools)
            LOW_LEVEL.adapt(server, self._bound, self._results, tools.list_tools, tools.call_tool)
            tools.keep_later_handlers()
        return low_level

    def _list_own_tools(self) -> list[Tool]:
        """Return the tools of the SDK's own decorator."""
        return [tool for tool in self._tools.values() if type(tool) is Tool]

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return {*find_resolved_parameters(handler), *find_context_parameters(handler)}

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools or bound.tool in self._taken:
            raise TypeError(name_taken(bound.tool))
        self._tools[bound.tool] = _Tool.of(bound)
        self._taken.add(bound.tool)
