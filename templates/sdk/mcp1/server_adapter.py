"""Handlers as the tools of a `FastMCP` server of the official SDK, mcp 1.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Never, TypeAlias

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import FastMCPError, ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.fastmcp.utilities.context_injection import find_context_parameter
from mcp.server.fastmcp.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, Icon, ToolAnnotations
from pydantic import PrivateAttr, TypeAdapter

from .binding import IN_PROCESS, ArgumentsError, Binding, Bound, declared, session_version
from .requests import in_form

Server: TypeAlias = FastMCP[Any]
AnyContext: TypeAlias = Context[Any, Any, Any]
Interim: TypeAlias = Never
"""What a handler may return in place of a result: nothing on this SDK."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class _Tool(Tool):
    """A bound tool, as the SDK knows tools."""

    _bound: Bound = PrivateAttr()

    @classmethod
    def of(cls, bound: Bound) -> _Tool:
        definition = declared(bound.tool, IN_PROCESS)
        made = cls(
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
        made._bound = bound
        return made

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any, Any] | None = None,
        convert_result: bool = False,
    ) -> Any:
        """The result, whatever the handler returned; of its errors, the SDK's own are told."""
        version = session_version.get() or IN_PROCESS
        try:
            given = self._bound.read(arguments)
        except ArgumentsError as error:
            return self._bound.refused(error, version)
        if self.context_kwarg is not None:
            given[self.context_kwarg] = context
        try:
            value = self.fn(**given)
            if inspect.isawaitable(value):
                value = await value
            if self._bound.as_sdk:
                return _converted(self.fn_metadata, value)
        except FastMCPError as error:
            raise ToolError(f"Error executing tool {self.name}: {error}") from error
        except McpError:
            raise
        except Exception:
            return self._bound.failed(version)
        return self._bound.answer(value, version)


def _converted(metadata: FuncMetadata, value: object) -> CallToolResult:
    """The result that the SDK makes for a tool without an outputSchema."""
    made = metadata.convert_result(value)
    return made if isinstance(made, CallToolResult) else CallToolResult(content=[*made])


class Glue(Binding):
    """Binds to a `FastMCP` server."""

    def __init__(self, server: Server, package: str, names: Mapping[str, str]) -> None:
        super().__init__(package, names)
        self._tools: dict[str, Tool] = vars(vars(server)["_tool_manager"])["_tools"]
        in_form(vars(server)["_mcp_server"], self)

    def _injected(self, handler: Callable[..., Any]) -> Iterable[str]:
        context = find_context_parameter(handler)
        return [context] if context else []

    def _register(self, bound: Bound, options: Mapping[str, Any]) -> None:
        if bound.tool in self._tools:
            raise TypeError(f"the server has a tool {bound.tool} already")
        self._tools[bound.tool] = _Tool.of(bound)
