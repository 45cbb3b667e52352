"""Register handlers as tools of a `FastMCP` server, fastmcp 2.13 to 3.x."""

from __future__ import annotations

import inspect
from collections.abc import (
    AsyncGenerator,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypedDict

from ...sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

import anyio
from anyio import to_thread
from fastmcp import Context, FastMCP
from fastmcp.exceptions import FastMCPError
from fastmcp.tools import FunctionTool
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, ErrorData, Icon, ToolAnnotations
from pydantic import PrivateAttr, TypeAdapter

from ...package import Package
from .internals import (
    MARKS_WRAPPED,
    get_low_level_server,
    list_forms,
    strip_injected,
)
from ...sdk_versions import check_server
from ...server_binding import (
    IN_PROCESS,
    ArgumentsError,
    Binding,
    BoundTool,
    session_version,
)
from .version_adapter import adapt_server

if TYPE_CHECKING:
    from typing import Self

    # the place that 3.x gives it; type checkers do not find it in 2.x
    from fastmcp.tools import ToolResult  # type: ignore[attr-defined,unused-ignore]  # pyright: ignore
    from typing_extensions import Unpack
else:
    from fastmcp.tools.tool import ToolResult  # the place that every version has

Server: TypeAlias = FastMCP[Any]
SERVERS = "a FastMCP of fastmcp 2.13 to 3"
"""The servers that can be bound to, for messages."""
AnyContext: TypeAlias = Context
InterimResult: TypeAlias = AsyncGenerator[Any, Any] | Generator[Any, Any, Any]
"""What a handler may return instead of a result: the items of an array."""

_ANNOTATIONS = TypeAdapter(ToolAnnotations | None)
_ICONS = TypeAdapter(list[Icon] | None)
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
        definition = bound.info.advertise(IN_PROCESS)
        tool = cls(
            fn=bound.handler,
            name=bound.tool,
            title=definition.get("title"),
            description=definition.get("description"),
            parameters=definition["inputSchema"],
            output_schema=definition.get("outputSchema"),
            annotations=_ANNOTATIONS.validate_python(definition.get("annotations")),
            icons=_ICONS.validate_python(definition.get("icons")),
            meta={**definition.get("_meta", {}), **options.get("meta", {})} or None,
            **{key: value for key, value in options.items() if key != "meta"},
        )
        tool._bound, tool._function = bound, strip_injected(bound.handler)
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
            if self._bound.as_sdk and not isinstance(value, CallToolResult):
                return await _convert_result(value)
            if isinstance(value, ToolResult):
                return self._pass_on(value, version)
            return _Result(self._mark_wrapped(self._bound.answer(value, version), value))
        except (FastMCPError, McpError):
            raise
        except Exception:
            if self._bound.raises:
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


class SdkBinding(Binding):
    """Binds to a `FastMCP` server."""

    _parses_text: ClassVar[bool] = False
    _collects_generators: ClassVar[bool] = True

    def __init__(self, server: Server, package: Package) -> None:
        super().__init__(package)
        check_server(server, (FastMCP,), SERVERS)
        self._server = server
        self._untouched: dict[str, Sequence[dict[str, Any]]] = {}
        adapt_server(get_low_level_server(server), self._bound, untouched=self._untouched)

    def options(self, **options: Unpack[Options]) -> Self:
        """Return the same tools, to bind with these options: `@tools.options(tags={"a"}).name`."""
        return self._copy_with_options(options, Options.__annotations__)

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        remaining = inspect.signature(strip_injected(handler)).parameters
        return inspect.signature(handler).parameters.keys() - remaining.keys()

    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        self._server.add_tool(_Tool.of(bound, options))
        unlisted = {key: value for key, value in options.items() if key != "meta"}
        self._untouched[bound.tool] = list_forms(_Tool.of(bound, unlisted))
