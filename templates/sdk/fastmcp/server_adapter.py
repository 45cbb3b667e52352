"""Handlers as the tools of a `FastMCP` server, fastmcp 4.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

from fastmcp import Context, FastMCP
from fastmcp.exceptions import FastMCPError
from fastmcp.server.dependencies import transform_context_annotations, without_injected_parameters
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.tools.function_tool import FunctionTool
from fastmcp.utilities.authorization import AuthCheck
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Icon, InputRequiredResult, ToolAnnotations
from pydantic import BaseModel, PrivateAttr, TypeAdapter, ValidationError

from .binding import IN_PROCESS, ArgumentsError, Binding, Bound, declared, session_version
from .requests import in_form

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Server: TypeAlias = FastMCP[Any]
AnyContext: TypeAlias = Context
Interim: TypeAlias = InputRequiredResult
"""What a handler may return in place of a result: it asks the client for input (2026-07-28)."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)


class Options(TypedDict, total=False):
    """What fastmcp lets one say of a tool beside its definition."""

    tags: set[str]
    timeout: float
    """Seconds."""
    auth: AuthCheck | list[AuthCheck]
    run_in_thread: bool
    """Whether a sync handler leaves the event loop to others."""


class _Result(ToolResult):
    """A result that goes out as it is; what middleware sees of it is an object in any case."""

    def __init__(self, result: CallToolResult) -> None:
        structured = result.structured_content
        if "structured_content" in result.model_fields_set and not isinstance(structured, dict):
            structured = {"result": structured}
        BaseModel.__init__(
            self,
            content=result.content,
            structured_content=structured,
            meta=result.meta,
            is_error=result.is_error,
        )
        self._raw_mcp_result = result


class _HandlerFailed(Exception):
    """A ValidationError out of a handler, which fastmcp would take for one of its arguments."""


class _Call:
    """Calls a handler where fastmcp expects something that validates its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def validate_python(self, value: dict[str, Any], *, strict: bool | None = None) -> Any:
        try:
            return self._function(**value)
        except ValidationError as error:
            raise _HandlerFailed from error


class _Tool(FunctionTool):
    """A bound tool, as fastmcp knows tools."""

    _bound: Bound = PrivateAttr()
    _call: _Call = PrivateAttr()
    _is_async: bool = PrivateAttr()

    @classmethod
    def of(cls, bound: Bound, options: Mapping[str, Any]) -> _Tool:
        definition = declared(bound.tool, IN_PROCESS)
        made = cls(
            fn=bound.handler,
            name=bound.tool,
            title=definition.get("title"),
            description=definition.get("description"),
            parameters=definition["inputSchema"],
            output_schema=definition.get("outputSchema"),
            annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
            icons=_ICONS.validate_python(definition.get("icons")),
            meta=definition.get("_meta"),
            **options,
        )
        made._bound = bound
        function = _callable(bound.handler, made.run_in_thread)
        made._call, made._is_async = _Call(function), inspect.iscoroutinefunction(function)
        return made

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """The result, whatever the handler returned; of its errors, fastmcp's own are told."""
        version = session_version.get() or IN_PROCESS
        try:
            given = self._bound.read(arguments)
        except ArgumentsError as error:
            return _Result(self._bound.refused(error, version))
        try:
            adapter = cast(TypeAdapter[Any], self._call)
            value = await self._run_body(adapter, self._is_async, given, strict=None)
        except (FastMCPError, MCPError):
            raise
        except Exception:
            return _Result(self._bound.failed(version))
        if isinstance(value, InputRequiredResult):
            refused = self._bound.asks(version)
            return InputRequiredToolResult(value) if refused is None else _Result(refused)
        if isinstance(value, ToolResult):
            return value
        if self._bound.as_sdk:
            return self.convert_result(value)
        result = self._bound.answer(value, version)
        return _Result(result if isinstance(value, CallToolResult) else self._marked(result))

    def _marked(self, result: CallToolResult) -> CallToolResult:
        """A result with the mark by which fastmcp's clients know that it was fastmcp who wrapped the value."""
        if result.is_error or not (self.output_schema or {}).get("x-fastmcp-wrap-result"):
            return result
        own = {"fastmcp": {"wrap_result": True}}
        return result.model_copy(update={"meta": {**(result.meta or {}), **own}})


def _callable(handler: Callable[..., Any], run_in_thread: bool) -> Callable[..., Any]:
    """A handler without the parameters that fastmcp fills in."""
    named = transform_context_annotations(handler)
    return without_injected_parameters(named, run_in_thread=run_in_thread)


class Glue(Binding):
    """Binds to a `FastMCP` server."""

    def __init__(self, server: Server, package: str, names: Mapping[str, str]) -> None:
        super().__init__(package, names)
        self._server = server
        in_form(vars(server)["_mcp_server"], self)

    def options(self, **options: Unpack[Options]) -> Self:
        """The same tools, to be bound with these options: `@tools.options(timeout=5).name`."""
        return self._with(options)

    def _injected(self, handler: Callable[..., Any]) -> Iterable[str]:
        left = inspect.signature(_callable(handler, True)).parameters
        return inspect.signature(handler).parameters.keys() - left.keys()

    def _register(self, bound: Bound, options: Mapping[str, Any]) -> None:
        self._server.add_tool(_Tool.of(bound, options))
