"""What generated servers import for mcp 1.x: bind handlers to a `FastMCP` or a low-level `Server`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar

from .requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

# isort: split
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError, ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.fastmcp.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.context import RequestContext
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult
from pydantic import PrivateAttr

from ... import server_binding
from ...mcp_1.requests import adapt_server
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, name_taken, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED
from ...tool_handlers import find_annotated_parameter
from .. import import_lazily
from .internals import Server as Server
from .internals import find_context_parameters, get_lowlevel_server, get_tools
from .low_level import LowLevelTools, convert_own_result

if TYPE_CHECKING:
    from .handler_seam import PromptBinding as PromptBinding
    from .handler_seam import ResourceBinding as ResourceBinding

    class AnyContext(Context[Any, Any, Any], RequestContext[Any, Any, Any]):  # type: ignore[misc]  # pyright: ignore
        """The context of a request: a handler may take a Context or a RequestContext."""

else:
    AnyContext = Context[Any, Any, Any]
    __getattr__ = import_lazily(__name__, {"PromptBinding": ".handler_seam", "ResourceBinding": ".handler_seam"})

InterimResult: TypeAlias = Never
"""Values that a handler may return instead of a result: none on this SDK."""

if TYPE_CHECKING:
    from ...descriptors import MaybeAwaitable, TakesArguments, TakesArgumentsWithContext
    from ...mcp_1.types import Returned, ReturnedArray

    T = TypeVar("T")
    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""


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
                converted = convert_own_result(value) if self._is_low_level else None
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


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    def _adapt_server(self, server: Server) -> LowLevelServer[Any, Any]:
        low_level = get_lowlevel_server(server)
        self._tools: dict[str, Tool]
        self._taken: set[str] = set()
        self._is_low_level = isinstance(server, LowLevelServer)
        if isinstance(server, FastMCP):
            self._tools = get_tools(server)
            adapt_server(low_level, self._bound)
        else:
            self._tools = {}
            self._taken = vars(server).setdefault("_bound_tools", set())
            adapt_server(low_level, self._bound, handlers=LowLevelTools(server, self._tools).front)
        return low_level

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_context_parameters(handler)

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools or bound.tool in self._taken:
            raise TypeError(name_taken(bound.tool))
        self._tools[bound.tool] = _Tool.of(bound, self._is_low_level)
        self._taken.add(bound.tool)
