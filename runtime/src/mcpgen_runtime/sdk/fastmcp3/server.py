"""What generated servers import for fastmcp 2.13 to 3.x: bind handlers to a `FastMCP`."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypedDict, TypeVar, Unpack

from . import REQUIREMENT

REQUIREMENT.check_version()

import anyio
from anyio import to_thread
from fastmcp import Context
from fastmcp.exceptions import FastMCPError
from fastmcp.exceptions import ToolError as ToolError
from fastmcp.tools import FunctionTool
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, ErrorData
from pydantic import PrivateAttr

from ... import server_binding
from ...linked_results import ResultStore as ResultStore
from ...mcp_1_server import LOW_LEVEL
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED
from .internals import MARKS_WRAPPED, find_injected, find_task_config, get_lowlevel_server, list_forms, strip_injected
from .internals import Server as Server

if TYPE_CHECKING:
    # the place that 3.x gives it; type checkers do not find it in 2.x
    from fastmcp.tools import ToolResult  # type: ignore[attr-defined,unused-ignore]  # pyright: ignore
else:
    from fastmcp.tools.tool import ToolResult  # the place that every version has

AnyContext: TypeAlias = Context
InterimResult: TypeAlias = AsyncGenerator[Any, Any] | Generator[Any, Any, Any]
"""What a handler may return instead of a result: the items of an array."""

if TYPE_CHECKING:
    from ...sdk_types import MaybeAwaitable, Returned, ReturnedArray, T, TakesArguments, TakesArgumentsWithContext

    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""

_TIMED_OUT = -32000


class Options(TypedDict, total=False):
    """Options of a tool in fastmcp besides its definition; each exists in some of its versions."""

    tags: set[str]
    enabled: bool
    """Until 2.14."""
    timeout: float
    """Seconds; from 3.0 on."""
    auth: Callable[..., Any] | list[Callable[..., Any]]
    """From 3.0 on."""
    version: str
    """From 3.0 on."""
    meta: dict[str, Any]
    """Members of `_meta` in addition to the declared ones."""
    run_in_thread: bool
    """Whether a synchronous handler runs outside the event loop; from 3.3 on."""


class _Result(ToolResult):  # type: ignore[misc,unused-ignore]
    """A result that is sent unchanged; middleware sees an object as its structured content."""

    _result: Any = None

    def __init__(self, result: CallToolResult) -> None:
        structured = result.structuredContent
        if "structuredContent" in result.model_fields_set and not isinstance(structured, dict):
            structured = {"result": structured}
        super().__init__(content=[*result.content], structured_content=structured)
        self._result = result

    def to_mcp_result(self) -> CallToolResult:
        """Return the result unchanged."""
        result: CallToolResult = self._result
        return result


class _Tool(FunctionTool):
    """A bound tool in fastmcp's form."""

    _bound: BoundTool = PrivateAttr()
    _function: Callable[..., Any] = PrivateAttr()

    @classmethod
    def of(cls, bound: BoundTool, options: Mapping[str, Any]) -> _Tool:
        members = bound.describe()
        meta: dict[str, Any] = {**(members.pop("meta") or {}), **options.get("meta", {})}
        others = {key: value for key, value in options.items() if key != "meta"}
        tool = cls(fn=bound.handler, meta=meta or None, **members, **others)
        tool._bound, tool._function = bound, strip_injected(bound.handler)
        if (config := find_task_config(bound)) is not None:
            config.validate_function(bound.handler, bound.tool)
            tool.task_config, tool.fn = config, _make_task_body(tool)  # type: ignore[attr-defined,unused-ignore]
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the handler and convert its value; of its errors, only fastmcp's own are reported."""
        version = session_version.get() or IN_PROCESS
        try:
            values = self._bound.read(arguments)
        except ArgumentsError as error:
            return _Result(self._bound.reject_arguments(error, version))
        try:
            value = await self._call_in_time(values)
            if self._bound.info.as_sdk and not isinstance(value, CallToolResult):
                return await _convert_result(value)
            if isinstance(value, ToolResult):
                return self._pass_on(value, version)
            return _Result(self._mark_wrapped(self._bound.answer(value, version), value))
        except (FastMCPError, McpError):
            raise
        except Exception:
            if self._bound.info.raises:
                raise
            return _Result(self._bound.report_failure(version))

    async def _call_in_time(self, values: dict[str, Any]) -> Any:
        seconds: float | None = getattr(self, "timeout", None)
        try:
            with anyio.fail_after(seconds):
                return await self._call(values)
        except TimeoutError:
            if seconds is None:
                raise
            text = f"Tool '{self.name}' execution timed out after {seconds}s"
            raise McpError(ErrorData(code=_TIMED_OUT, message=text)) from None

    async def _call(self, values: dict[str, Any]) -> Any:
        is_inline = not getattr(self, "run_in_thread", False)  # as fastmcp did before it had threads
        if is_inline or inspect.iscoroutinefunction(self._function):
            value = _call_function(self._function, values)
        else:
            value = await to_thread.run_sync(partial(_call_function, self._function, values))
        if inspect.isawaitable(value):
            value = await value
        return [item async for item in value] if inspect.isasyncgen(value) else value

    def _pass_on(self, own: ToolResult, version: str) -> ToolResult:
        """Return a handler's result in fastmcp's own form, or an error result if it does not fit the outputSchema."""
        fields: dict[str, Any] = {
            "content": own.content,
            "isError": getattr(own, "is_error", False),  # not every version has it
            "_meta": getattr(own, "meta", None),
        }
        if own.structured_content is not None:
            fields["structuredContent"] = own.structured_content
        result = CallToolResult.model_validate(fields)
        answer = self._bound.answer(result, version)
        return own if answer is result else _Result(answer)

    def _mark_wrapped(self, result: CallToolResult, value: object) -> CallToolResult:
        """Mark a result as fastmcp does, so that its clients know that the value is wrapped."""
        is_wrapped = (self.output_schema or {}).get("x-fastmcp-wrap-result")
        if result.isError or not MARKS_WRAPPED or not is_wrapped or isinstance(value, CallToolResult):
            return result
        mark = {"fastmcp": {"wrap_result": True}}
        return result.model_copy(update={"meta": {**(result.meta or {}), **mark}})


def _make_task_body(tool: _Tool) -> Callable[..., Any]:
    """Return the function that fastmcp calls in the background with a client's arguments, instead of the handler."""

    async def run_as_task(**sent: Any) -> ToolResult:
        return await tool.run(sent)

    return run_as_task


def _call_function(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a function, and collect the items that it yields."""
    value = function(**values)
    return [*value] if inspect.isgenerator(value) else value


async def _convert_result(value: object) -> ToolResult:
    """Convert a value as fastmcp does for a tool without an outputSchema."""

    def give() -> Any:
        return value

    tool = FunctionTool(fn=give, name="give", parameters={"type": "object"}, output_schema=None)
    return await tool.run({})


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    _parses_text: ClassVar[bool] = False
    _collects_generators: ClassVar[bool] = True

    def _adapt_server(self, server: Server) -> LowLevelServer[Any, Any]:
        low_level = get_lowlevel_server(server)
        self._untouched: dict[str, Sequence[dict[str, Any]]] = {}
        LOW_LEVEL.adapt(low_level, self._bound, self._results, untouched=self._untouched)
        return low_level

    def options(self, **options: Unpack[Options]) -> Self:
        """Return the same tools, to bind with these options: `@tools.options(timeout=5).name`."""
        return self._copy_with_options(options, Options.__annotations__)

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_injected(handler)

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        self._server.add_tool(_Tool.of(bound, options))
        unlisted = {key: value for key, value in options.items() if key != "meta"}
        self._untouched[bound.tool] = list_forms(_Tool.of(bound, unlisted))
