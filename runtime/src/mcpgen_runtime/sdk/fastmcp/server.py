"""What generated servers import for fastmcp 4.x: bind handlers to a `FastMCP`."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypedDict, TypeVar, Unpack

from . import REQUIREMENT

REQUIREMENT.check_version()

from fastmcp import Context
from fastmcp.apps.config import AppConfig, app_config_to_meta_dict
from fastmcp.exceptions import FastMCPError
from fastmcp.exceptions import ToolError as ToolError
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.tools.function_tool import FunctionTool
from fastmcp.utilities.authorization import AuthCheck
from fastmcp.utilities.json_schema import dereference_refs
from fastmcp.utilities.tasks import TaskConfig
from mcp.server.lowlevel import Server as LowLevelServer
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import BaseModel, PrivateAttr, ValidationError

from ... import server_binding
from ...content import RESULT_TYPE_SINCE
from ...linked_results import ResultStore as ResultStore
from ...mcp_2_server import LOW_LEVEL
from ...server_binding import IN_PROCESS, ArgumentsError, BoundTool, find_input_request, session_version
from ...server_binding import IncompleteServer as IncompleteServer
from ...tool_definitions import ToolOverride as ToolOverride
from ...tool_handlers import INJECTED as INJECTED
from .internals import Server as Server
from .internals import find_injected, get_lowlevel_server, has_tasks, list_components, run_body, strip_injected

AnyContext: TypeAlias = Context
InterimResult: TypeAlias = InputRequiredResult | AsyncGenerator[Any, Any] | Generator[Any, Any, Any]
"""What a handler may return instead of a result: a request for input (2026-07-28), or the items of an array."""

if TYPE_CHECKING:
    from ...sdk_types import MaybeAwaitable, Returned, ReturnedArray, T, TakesArguments, TakesArgumentsWithContext

    ArgumentsT = TypeVar("ArgumentsT")
    Returns: TypeAlias = MaybeAwaitable[Returned[T] | InterimResult]
    """What a handler may return for a value; an `async` function returns an awaitable of it."""
    ReturnsArray: TypeAlias = MaybeAwaitable[ReturnedArray[T] | InterimResult]
    """The same for a value that may be an array."""
    Whole: TypeAlias = TakesArguments[ArgumentsT, T] | TakesArgumentsWithContext[ArgumentsT, AnyContext, T]
    """A handler that takes the arguments of its tool as one object, or as JSON."""


class Options(TypedDict, total=False):
    """Options of a tool in fastmcp besides its definition."""

    tags: set[str]
    timeout: float
    """Seconds."""
    auth: AuthCheck | list[AuthCheck]
    run_in_thread: bool
    """Whether a synchronous handler runs outside the event loop."""
    version: str
    meta: dict[str, Any]
    """Members of `_meta` in addition to the declared ones."""
    app: AppConfig | dict[str, Any]
    """How an MCP App shows the tool: `_meta.ui`."""
    task: bool | TaskConfig
    """Whether the handler may or must run as a task, other than declared; needs fastmcp's tasks extension."""


_LISTED_OPTIONS = frozenset(("app", "meta", "task"))
"""Options that the list of tools shows."""


class _Result(ToolResult):
    """A result that is sent with its structured content as it is; middleware always sees that as an object."""

    _wrapped: dict[str, Any] | None = PrivateAttr(default=None)
    """The object that middleware sees, if the structured content is another value."""

    def __init__(self, result: CallToolResult) -> None:
        structured = result.structured_content
        is_wrapped = "structured_content" in result.model_fields_set and not isinstance(structured, dict)
        BaseModel.__init__(
            self,
            content=result.content,
            structured_content={"result": structured} if is_wrapped else structured,
            meta=result.meta,
            is_error=result.is_error,
        )
        if is_wrapped:
            self._wrapped = self.structured_content

    def to_mcp_result(self) -> CallToolResult:
        """Return the result with what middleware changed in it; without structured content, that field is not set."""
        fields: dict[str, Any] = {"content": self.content, "meta": self.meta, "is_error": self.is_error}
        structured = self.structured_content
        if structured is not None:
            is_wrapped = structured is self._wrapped
            fields["structured_content"] = structured["result"] if is_wrapped else structured
        return CallToolResult(content=[]).model_copy(update=fields)


class _HandlerFailed(Exception):
    """Wraps a ValidationError of a handler, which fastmcp would mistake for one of its arguments."""


class _Call:
    """Calls a handler; fastmcp takes it for the validator of the arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def validate_python(self, value: dict[str, Any], *, strict: bool | None = None) -> Any:
        try:
            return self._function(**value)
        except ValidationError as error:
            raise _HandlerFailed(str(error)) from error


class _Tool(FunctionTool):
    """A bound tool in fastmcp's form."""

    _bound: BoundTool = PrivateAttr()
    _call: _Call = PrivateAttr()
    _is_async: bool = PrivateAttr()

    @classmethod
    def of(cls, bound: BoundTool, options: Mapping[str, Any]) -> _Tool:
        members = bound.describe()
        meta: dict[str, Any] = {**(members.pop("meta") or {}), **options.get("meta", {})}
        if (app := options.get("app")) is not None:
            meta["ui"] = app_config_to_meta_dict(app)
        others = {key: value for key, value in options.items() if key not in _LISTED_OPTIONS}
        tool = cls(fn=bound.handler, meta=meta or None, **members, **others)
        tool._bound = bound
        if (task := options.get("task")) is not None:
            tool.task_config = TaskConfig.from_bool(task) if isinstance(task, bool) else task
            tool.task_config.validate_function(bound.handler, bound.tool)
            tool.fn = _make_task_body(tool)
        function = strip_injected(bound.handler, tool.run_in_thread)
        tool._call, tool._is_async = _Call(function), inspect.iscoroutinefunction(function)
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the handler and convert its value; report only fastmcp's own errors."""
        version = session_version.get() or IN_PROCESS
        try:
            values = self._bound.read(arguments)
        except ArgumentsError as error:
            return _Result(self._bound.reject_arguments(error, version))
        try:
            value = await run_body(self, self._call, self._is_async, values)
            return self._convert_value(value, version)
        except (FastMCPError, MCPError):
            raise
        except Exception:
            if self._bound.info.raises:
                raise
            return _Result(self._bound.report_failure(version))
        except BaseException as error:
            return self._convert_value(InputRequiredResult.model_validate(find_input_request(error)), version)

    def _convert_value(self, value: Any, version: str) -> ToolResult:
        if isinstance(value, InputRequiredResult):
            refused = self._bound.reject_input_request(version)
            return InputRequiredToolResult(value) if refused is None else _Result(refused)
        if isinstance(value, ToolResult):
            return self._pass_on(value, version)
        if self._bound.info.as_sdk:
            return self.convert_result(value)
        result = self._bound.answer(value, version)
        return _Result(result if isinstance(value, CallToolResult) else self._mark_wrapped(result))

    def _pass_on(self, own: ToolResult, version: str) -> ToolResult:
        """Return a handler's result in fastmcp's own form, or an error result if it does not fit the outputSchema."""
        if isinstance(own, InputRequiredToolResult):
            return own
        fields = {"content": own.content, "isError": own.is_error, "_meta": own.meta}
        if own.structured_content is not None:
            fields["structuredContent"] = own.structured_content
        result = CallToolResult.model_validate(fields)
        answer = self._bound.answer(result, version)
        return own if answer is result else _Result(answer)

    def _mark_wrapped(self, result: CallToolResult) -> CallToolResult:
        """Mark a result so that fastmcp's clients know that the value is wrapped."""
        if result.is_error or not (self.output_schema or {}).get("x-fastmcp-wrap-result"):
            return result
        mark = {"fastmcp": {"wrap_result": True}}
        return result.model_copy(update={"meta": {**(result.meta or {}), **mark}})


def _make_task_body(tool: _Tool) -> Callable[..., Any]:
    """Return the function that fastmcp's tasks extension calls with a client's arguments, instead of the handler."""

    async def run_as_task(**sent: Any) -> ToolResult:
        arguments = sent.get("sent", sent)  # the extension passes them by this parameter's name
        token = session_version.set(RESULT_TYPE_SINCE)  # older clients cannot ask for a task
        try:
            return await tool.run(arguments)
        finally:
            session_version.reset(token)

    return run_as_task


def _list_forms(tool: FunctionTool) -> Sequence[dict[str, Any]]:
    """Return the forms in which fastmcp lists a tool: unchanged, and without references (`dereference_schemas`)."""
    model = tool.to_mcp_tool(name=tool.name)
    listed = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    schemas = {key: dereference_refs(item) for key, item in listed.items() if key.endswith("Schema")}
    return [listed, {**listed, **schemas}]


class ToolBinding(server_binding.ToolBinding[Server]):
    """Binds handlers to the tools of a package: base of the generated `Tools`."""

    _parses_text: ClassVar[bool] = False
    _collects_generators: ClassVar[bool] = True

    def _adapt_server(self, server: Server) -> LowLevelServer[Any]:
        low_level = get_lowlevel_server(server)
        self._untouched: dict[str, Sequence[dict[str, Any]]] = {}
        LOW_LEVEL.adapt(
            low_level, self._bound, self._results, untouched=self._untouched, list_own_tools=self._list_own_tools
        )
        return low_level

    def options(self, **options: Unpack[Options]) -> Self:
        """Return the same tools, to bind with these options: `@tools.options(timeout=5).name`."""
        return self._copy_with_options(options, Options.__annotations__)

    def _list_own_tools(self) -> list[FunctionTool]:
        """Return the tools of fastmcp's own decorator."""
        return [tool for tool in list_components(self._server) if type(tool) is FunctionTool]

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_injected(handler)

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        if bound.task_mode != "forbidden" and has_tasks(self._server):
            options = {"task": TaskConfig(bound.task_mode), **options}
        self._server.add_tool(_Tool.of(bound, options))
        unlisted = {key: value for key, value in options.items() if key not in _LISTED_OPTIONS}
        self._untouched[bound.tool] = _list_forms(_Tool.of(bound, unlisted))
