"""Register handlers as tools of a `FastMCP` server of the official SDK, mcp 1.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Never, TypeAlias

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
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, Icon, ToolAnnotations
from pydantic import PrivateAttr, TypeAdapter

from .package import Package
from .server_binding import (
    IN_PROCESS,
    ArgumentsError,
    Binding,
    Bound,
    session_version,
)
from .version_adapter import adapt_server

Server: TypeAlias = FastMCP[Any]
AnyContext: TypeAlias = Context[Any, Any, Any]
Interim: TypeAlias = Never
"""Values that a handler may return in place of a result: none on this SDK."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class _Tool(Tool):
    """A bound tool in the SDK's form."""

    _bound: Bound = PrivateAttr()

    @classmethod
    def of(cls, bound: Bound) -> _Tool:
        definition = bound.info.advertise(IN_PROCESS)
        tool = cls(
            fn=bound.handler,
            name=bound.tool,
            title=definition.get("title"),
            description=definition.get("description", ""),
            parameters=definition["inputSchema"],
            fn_metadata=FuncMetadata(
                arg_model=ArgModelBase, output_schema=definition.get("outputSchema")
            ),
            is_async=inspect.iscoroutinefunction(bound.handler),
            context_kwarg=find_context_parameter(bound.handler),
            annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
            icons=_ICONS.validate_python(definition.get("icons")),
            meta=definition.get("_meta"),
        )
        tool._bound = bound
        return tool

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any, Any] | None = None,
        convert_result: bool = False,
    ) -> Any:
        """Run the handler and convert its value; of its errors, only the SDK's own are reported."""
        version = session_version.get() or IN_PROCESS
        try:
            values = self._bound.read(arguments)
        except ArgumentsError as error:
            return self._bound.reject_arguments(error, version)
        if self.context_kwarg is not None:
            values[self.context_kwarg] = context
        try:
            value = self.fn(**values)
            if inspect.isawaitable(value):
                value = await value
            if self._bound.as_sdk:
                return _convert_result(self.fn_metadata, value)
        except FastMCPError as error:
            raise ToolError(f"Error executing tool {self.name}: {error}") from error
        except McpError:
            raise
        except Exception:  # noqa: BLE001
            return self._bound.report_failure(version)
        return self._bound.answer(value, version)


def _convert_result(metadata: FuncMetadata, value: object) -> CallToolResult:
    """Convert a value as the SDK does for a tool without an outputSchema."""
    converted = metadata.convert_result(value)
    return (
        converted if isinstance(converted, CallToolResult) else CallToolResult(content=[*converted])
    )


class Glue(Binding):
    """Binds to a `FastMCP` server."""

    def __init__(self, server: Server, package: Package) -> None:
        super().__init__(package)
        self._tools: dict[str, Tool] = vars(vars(server)["_tool_manager"])["_tools"]
        adapt_server(vars(server)["_mcp_server"], self._bound)

    def _find_injected(self, handler: Callable[..., Any]) -> Iterable[str]:
        context = find_context_parameter(handler)
        return [context] if context else []

    def _register(self, bound: Bound, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools:
            raise TypeError(f"the server has a tool {bound.tool} already")
        self._tools[bound.tool] = _Tool.of(bound)
