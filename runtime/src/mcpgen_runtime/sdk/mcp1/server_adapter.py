"""Register handlers as tools of a `FastMCP` or a low-level `Server` of the official SDK, mcp 1.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Never, TypeAlias

from ...sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError, ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.fastmcp.utilities.context_injection import (
    find_context_parameter,
)
from mcp.server.fastmcp.utilities.func_metadata import (
    ArgModelBase,
    FuncMetadata,
)
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.context import RequestContext
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, Icon, ToolAnnotations
from pydantic import PrivateAttr, TypeAdapter

from ...context_parameters import find_parameter
from .low_level import LowLevelTools, convert_own_result
from ...package import Package
from .internals import get_low_level_server, get_tools
from ...sdk_versions import check_server, name_taken
from ...server_binding import (
    IN_PROCESS,
    ArgumentsError,
    Binding,
    BoundTool,
    session_version,
)
from .version_adapter import adapt_server

Server: TypeAlias = FastMCP[Any] | LowLevelServer[Any, Any]
SERVERS = "a FastMCP or a low-level Server of mcp 1.x"
"""The servers that can be bound to, for messages."""
if TYPE_CHECKING:

    class AnyContext(Context[Any, Any, Any], RequestContext[Any, Any, Any]):  # type: ignore[misc]  # pyright: ignore
        """The context of a request: a handler may take a Context or a RequestContext."""

else:
    AnyContext = Context[Any, Any, Any]
InterimResult: TypeAlias = Never
"""Values that a handler may return instead of a result: none on this SDK."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class _Tool(Tool):
    """A bound tool in the SDK's form."""

    _bound: BoundTool = PrivateAttr()
    _request_kwarg: str | None = PrivateAttr()
    """The parameter for the low-level request context."""
    _is_low_level: bool = PrivateAttr()

    @classmethod
    def of(cls, bound: BoundTool, is_low_level: bool) -> _Tool:
        definition = bound.info.advertise(IN_PROCESS)
        tool = cls(
            fn=bound.handler,
            name=bound.tool,
            title=definition.get("title"),
            description=definition.get("description", ""),
            parameters=definition["inputSchema"],
            fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=definition.get("outputSchema")),
            is_async=inspect.iscoroutinefunction(bound.handler),
            context_kwarg=find_context_parameter(bound.handler),
            annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
            icons=_ICONS.validate_python(definition.get("icons")),
            meta=definition.get("_meta"),
        )
        tool._bound, tool._is_low_level = bound, is_low_level
        tool._request_kwarg = find_parameter(bound.handler, RequestContext)
        return tool

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any, Any] | None = None,
        convert_result: bool = False,
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
            if self._bound.as_sdk:
                converted = convert_own_result(value) if self._is_low_level else None
                return converted or _convert_result(self.fn_metadata, value)
            return self._bound.answer(value, version)
        except FastMCPError as error:
            raise ToolError(f"Error executing tool {self.name}: {error}") from error
        except McpError:
            raise
        except Exception as error:
            if self._bound.raises:
                raise ToolError(f"Error executing tool {self.name}: {error}") from error
            return self._bound.report_failure(version)


def _convert_result(metadata: FuncMetadata, value: object) -> CallToolResult:
    """Convert a value as the SDK does for a tool without an outputSchema."""
    converted = metadata.convert_result(value)
    return converted if isinstance(converted, CallToolResult) else CallToolResult(content=[*converted])


class SdkBinding(Binding):
    """Binds to a `FastMCP` or a low-level `Server`."""

    def __init__(self, server: Server, package: Package) -> None:
        super().__init__(package)
        check_server(server, (FastMCP, LowLevelServer), SERVERS)
        self._tools: dict[str, Tool]
        self._taken: set[str] = set()
        self._is_low_level = isinstance(server, LowLevelServer)
        if isinstance(server, FastMCP):
            self._tools = get_tools(server)
            adapt_server(get_low_level_server(server), self._bound)
        else:
            self._tools = {}
            self._taken = vars(server).setdefault("_bound_tools", set())
            low_level = LowLevelTools(server, self._tools)
            adapt_server(server, self._bound, handlers=low_level.front)

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        contexts = [find_context_parameter(handler), find_parameter(handler, RequestContext)]
        return [name for name in contexts if name]

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools or bound.tool in self._taken:
            raise TypeError(name_taken(bound.tool))
        self._tools[bound.tool] = _Tool.of(bound, self._is_low_level)
        self._taken.add(bound.tool)
