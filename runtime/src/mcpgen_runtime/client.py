"""Base of generated clients."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypeVar, cast
from uuid import uuid4
from weakref import WeakValueDictionary

from pydantic import BaseModel, ValidationError

from . import descriptors, tool_contract
from .arguments import list_parameters, warn_caller
from .content import (
    JSON_MIME_TYPE,
    NEWEST_OBJECT_RESULT,
    Answer,
    find_json_link,
    find_json_resource,
    find_mismatch,
    make_resource,
    map_attributes,
)
from .errors import LOG_BYTES, ResultError, ToolChangedError, cut_text, format_pointer, list_problems, shorten_path
from .package import Package, is_attribute, suggest
from .tasks import TaskStatus, ToolTask
from .tool_definitions import advertise_tool

logger = logging.getLogger(__name__)

PAGES = 1000
"""Maximum pages of a listing; a server with more pages probably never ends it."""
TASK_TTL = 24 * 60 * 60 * 1000
"""Milliseconds for which a server should keep a task; without a number, mcp 1.x sends tasks that its clients refuse."""
SessionT_co = TypeVar("SessionT_co", covariant=True)
ConnectionT = TypeVar("ConnectionT")
_Tool: TypeAlias = descriptors.McpToolOf[Any, Any, Any, Any, Any]
_Resource: TypeAlias = descriptors.McpResourceOf[Any, Any, Any, Any]
MessageHandler: TypeAlias = Callable[[Any], Awaitable[None]]
OnProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Receives a call's progress: the progress so far, the total, and a message."""
Pin: TypeAlias = Literal["types", "all"]
"""Which parts of a tool must match the declaration: its name and schemas, or everything that a model reads."""


# --- requests --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class CallOptions:
    """Options of a call."""

    timeout: float | None = None
    """Timeout in seconds; None: the session's own."""
    meta: Mapping[str, Any] | None = None
    """The `_meta` of the request."""
    on_progress: OnProgress | None = None
    on_invalid: Literal["raise", "warn", "raw"] = "raise"
    """What to do with an answer that violates its schema."""
    on_mismatch: Literal["ignore", "warn"] = "ignore"
    """What to do with a result whose content has other JSON than its structured content."""

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on a call's progress."""
        reported = self.on_progress(progress, total, message) if self.on_progress else None
        if inspect.isawaitable(reported):
            await reported

    @property
    def meta_member(self) -> dict[str, Any]:
        """The `_meta` of the request as a member of its parameters; an empty dict if there is none."""
        return {} if self.meta is None else {"_meta": dict(self.meta)}


class WireRequest(BaseModel):
    """A request about a task, for which the SDK may have no class."""

    name_param: ClassVar = "taskId"
    """The parameter that goes into the header `Mcp-Name` (2026-07-28, SEP-2243)."""
    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class AnswerForm:
    """Reads what a server answers; a session takes it for a class of results."""

    read: Callable[..., Any] | None = None
    """Reads a result of the SDK; None: the answer stays in wire form."""

    def model_validate(self, wire: dict[str, Any], **options: Any) -> Any:
        """Return a `TaskStatus` for a task, and else what `read` makes of the answer."""
        if self.read is None:
            return wire
        has_extension = wire.get("resultType") == "task"
        status = TaskStatus.of(wire if has_extension else wire.get("task"), has_extension)
        return self.read(wire, **options) if status is None else status


class Connected(Protocol[SessionT_co]):
    """A client that has a session."""

    @property
    def session(self) -> SessionT_co:
        """The session."""
        ...


class Session(Generic[ConnectionT]):
    """Sends requests over a connection; results have the SDK's classes, and protocol errors raise its exception."""

    _session_class: ClassVar[type[Any]]
    """The SDK's class of sessions."""
    _types: ClassVar[Any]
    """The SDK's module with the classes of requests and results."""
    _wrap_message_handler: ClassVar[staticmethod[[Any, Callable[[MessageHandler], MessageHandler]], None]]
    """Replaces a session's handler of the server's messages by what a function makes of it."""
    contract: Contract
    """The last comparison of the server's tools, which a client shares with its copies with other options."""

    def __init__(self, connection: ConnectionT) -> None:
        if not isinstance(connection, self._session_class) and not hasattr(connection, "session"):
            refusal = f"connect takes an open client or session of the SDK, not {type(connection).__name__}"
            raise TypeError(f"{refusal}: open it with `async with … as client`, and pass the client")
        self._connection: Any = connection
        self._watched, self._has_changed = cast(object, None), False
        self.task_support: dict[str, str | None] = {}
        """The `execution.taskSupport` of the server's tools."""
        self._progress: WeakValueDictionary[str, CallOptions] = WeakValueDictionary()
        """The options of calls that run as tasks, by their progress token, as long as somebody has the task."""
        self.take_change()

    @property
    def _session(self) -> Any:
        return self._connection if isinstance(self._connection, self._session_class) else self._connection.session

    @property
    def protocol(self) -> str | None:
        """Protocol version of the session; None: the SDK does not keep it."""
        return cast("str | None", getattr(self._session, "protocol_version", None))

    def take_change(self) -> bool:
        """Return whether the session or the server's list of tools has changed since the last call of this method."""
        changed, self._has_changed = self._has_changed, False
        session, watched = self._session, self._watched
        if session is watched:
            return changed
        self._watched = session
        if isinstance(session, self._session_class):
            self._wrap_message_handler(session, self._make_watching)
        return watched is not None

    def _make_watching(self, handler: MessageHandler) -> MessageHandler:
        async def notice(message: Any) -> None:
            notification = getattr(message, "root", message)
            method, params = getattr(notification, "method", ""), cast(Any, getattr(notification, "params", None))
            if method == "notifications/tools/list_changed":
                self._has_changed = True
            elif method == "notifications/progress":
                token: Any = getattr(params, "progressToken", None) or getattr(params, "progress_token", None)
                if (options := self._progress.get(token)) is not None:
                    try:
                        await options.report_progress(params.progress, params.total, params.message)
                    except Exception:  # as the SDK does with those of other calls
                        logger.exception("The callback for the progress of a task failed")
            await handler(message)

        return notice

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools of the server in wire form."""
        listed: list[dict[str, Any]] = []
        params: Any = None
        for _ in range(PAGES):
            result = await self._session.list_tools(params=params)
            page = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            listed += page["tools"]
            if "nextCursor" not in page:
                for tool in listed:
                    execution: dict[str, Any] = tool.get("execution") or {}
                    self.task_support[tool["name"]] = execution.get("taskSupport")
                return listed
            params = self._types.PaginatedRequestParams(cursor=page["nextCursor"])
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions, as_task: bool = False) -> Any:
        """Call a tool, `as_task` if the server allows it.

        Returns:
            The SDK's CallToolResult, or a `TaskStatus` if the call goes on in the background.
        """
        if not self._can_be_task(tool, as_task):
            return await self._call(tool, arguments, options)
        params: dict[str, Any] = {"name": tool, "arguments": arguments, "task": {"ttl": TASK_TTL}}
        if options.on_progress is not None:  # the SDK's own token ends with the request
            token = str(uuid4())
            self._progress[token] = options
            params["_meta"] = {"progressToken": token}
        return AnswerForm(self.read_result).model_validate(await self.ask("tools/call", params, options))

    async def _call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> Any:
        params = self._types.CallToolRequestParams(name=tool, arguments=arguments, **options.meta_member)
        return await self._send(self._types.CallToolRequest(params=params), self._types.CallToolResult, options)

    def _can_be_task(self, tool: str, is_wanted: bool) -> bool:
        """Return whether a call should ask for a task (2025-11-25, Tasks, Tool-Level Negotiation)."""
        support = self.task_support.get(tool)
        if support != "required" and not (is_wanted and support == "optional"):
            return False
        model = self._get_capabilities()
        found: Any = {} if model is None else model.model_dump(by_alias=True, mode="json", exclude_none=True)
        for member in ("tasks", "requests", "tools"):
            found = found.get(member) or {}
        return "call" in found

    def _get_capabilities(self) -> BaseModel | None:
        """Return the server's capabilities; None: the session is not initialized."""
        return cast("BaseModel | None", self._session.get_server_capabilities())

    async def ask(self, method: str, params: dict[str, Any], options: CallOptions) -> dict[str, Any]:
        """Send a request for or about a task, and return its result in wire form."""
        meta = {**options.meta_member.get("_meta", {}), **params.get("_meta", {})}
        request = WireRequest(method=method, params={**params, **({"_meta": meta} if meta else {})})
        return cast("dict[str, Any]", await self._send_raw(request, replace(options, on_progress=None)))

    async def _send_raw(self, request: WireRequest, options: CallOptions) -> Any:
        return await self._send(request, AnswerForm(), options)

    async def answer_input(self, task: str, requests: Mapping[str, Any], options: CallOptions) -> None:
        """Have the client's callbacks answer what a task of the extension asks."""
        raise RuntimeError(f"this SDK's clients cannot answer what the task {task} asks")

    def read_result(self, wire: Mapping[str, Any]) -> Any:
        """Return the SDK's CallToolResult of one in wire form."""
        return self._types.CallToolResult.model_validate(wire)

    def make_error(self, code: int, message: str, data: Any) -> Exception:
        """Make an exception for a protocol error: the SDK's, if its clients have the extension."""
        return RuntimeError(f"{message} ({code})")

    async def read(self, uri: str, options: CallOptions) -> Any:
        """Read a resource, and return the SDK's ReadResourceResult."""
        params = self._types.ReadResourceRequestParams(uri=uri, **options.meta_member)
        return await self._send(self._types.ReadResourceRequest(params=params), self._types.ReadResourceResult, options)

    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> Any:
        """Get a prompt, and return the SDK's GetPromptResult."""
        params = self._types.GetPromptRequestParams(name=name, arguments=arguments, **options.meta_member)
        return await self._send(self._types.GetPromptRequest(params=params), self._types.GetPromptResult, options)

    async def _send(self, request: Any, form: Any, options: CallOptions) -> Any:
        callback = options.report_progress if options.on_progress else None
        return await self._session.send_request(request, form, options.timeout, progress_callback=callback)


# --- clients ---------------------------------------------------------------------------------------------------------
class AttributeReader:
    """Base of objects that have an attribute for each definition of one kind in a package, `_package`."""

    _finder: ClassVar = "find_tool"
    _index: ClassVar = "tool_attributes"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not is_attribute(name):
                raise AttributeError(name)
            if isinstance(self, descriptors.Caller) and name in ("prompts", "resources"):
                raise AttributeError(f"{self._package.name} has no {name}")
            return self._make_attribute(getattr(self._package, self._finder)(name))

        def _make_attribute(self, found: Any) -> Any:
            return partial(self._call, found)

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *getattr(self._package, self._index).values()})


def _refuse_unnamed(unnamed: tuple[object, ...], called: str, maker: Any) -> None:
    if unnamed:
        parameters = list_parameters(maker) if isinstance(maker, type) else inspect.signature(maker).parameters
        names = ", ".join(f"{name}=…" for name in parameters)
        raise TypeError(f"{called} takes its arguments by name: {names}" if names else f"{called} takes no arguments")


def _read_result(name: str, result: Any, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except ValidationError as error:
        raise ResultError(name, list_problems(error), result=result) from error


@dataclass(frozen=True)
class Contract:
    """Comparison of a server's tools with the declared ones, by names on the wire."""

    same: tuple[str, ...]
    changed: tuple[str, ...]
    """Tools whose arguments or results differ from the declared ones."""
    missing: tuple[str, ...]
    """Declared tools that the server lacks."""
    new: tuple[str, ...]
    """Tools of the server that are not declared."""
    reworded: tuple[str, ...] = ()
    """Tools whose title, description, annotations, `_meta` or descriptions in schemas differ from the declared ones."""
    changes: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    """What has changed, for each changed or reworded tool, with every hidden character visible."""

    @property
    def kept(self) -> bool:
        """True if the server has all declared tools, unchanged."""
        return not self.changed and not self.missing


class ToolClient(AttributeReader, descriptors.Caller, Generic[ConnectionT]):
    """Calls tools by name over a session: each attribute is a method. Base of the generated `Client`.

        client = await Client.connect(session)
        result = await client.get_weather(city="Oslo")

    A call has the parameters of the tool, by name, and returns an instance of its result class. It raises:

    - `pydantic.ValidationError` if the arguments do not fit; nothing was sent then
    - `ToolCallError` if the result has `isError`
    - `TaskFailedError` if the server runs it in the background, and that is cancelled or fails
    - `ResultError` if the result violates the outputSchema
    - `ToolChangedError` if the tool does not match the pin
    - `MCPError` of `mcp.shared.exceptions` (`McpError` of mcp 1.x) if the server answers with a protocol error
    - RuntimeError if the list of tools does not end, or the tool asks for input and the connection has no client
    """

    _package: ClassVar[Package]
    """The declared tools."""
    _session_type: ClassVar[type[Session[Any]]]

    def __init__(
        self,
        session: Session[Any],
        protocol: str | None,
        contract: Contract,
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
        timeout: float | None = None,
        pin: Pin | None = None,
        on_mismatch: Literal["ignore", "warn"] = "ignore",
    ) -> None:
        self._pin: Pin | None = pin
        self._session, self._protocol = session, protocol
        self._options = CallOptions(timeout, on_invalid=on_invalid, on_mismatch=on_mismatch)
        session.contract = contract

    @classmethod
    async def connect(
        cls,
        connection: ConnectionT,
        *,
        protocol: str | None = None,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
        timeout: float | None = None,
        pin: Pin | None = None,
        on_mismatch: Literal["ignore", "warn"] = "ignore",
    ) -> Self:
        """Return a client over a connection of the SDK, after comparing the server's tools with the declared ones.

        Args:
            connection: a session, or a client that has one.
            protocol: the session's protocol version; None: the session's own.
            on_invalid: what to do with a result or resource that violates its schema; see `from_call_tool_result`.
            timeout: seconds that a call may take; None: the session's own.
            pin: refuse to call tools with other schemas ("types"), or other schemas or wording ("all"), than declared.
            on_mismatch: "warn" about a result whose content, which a model may read, has other JSON than its value.

        Raises:
            TypeError: the connection is neither a session nor a client that has one.
            RuntimeError: the server's list of tools does not end.
        """
        session = cls._session_type(connection)
        version, empty = protocol or session.protocol, Contract((), (), (), ())
        client = cls(session, version, empty, on_invalid=on_invalid, timeout=timeout, pin=pin, on_mismatch=on_mismatch)
        await client.refresh()
        return client

    @classmethod
    def copy_of(cls, client: ToolClient[Any]) -> Self:
        """Return a client of this class with the session and the options of `client`."""
        other = cls.__new__(cls)
        vars(other).update(vars(client))
        return other

    @property
    def contract(self) -> Contract:
        """How the server's tools compare with the declared ones."""
        return self._session.contract

    async def refresh(self) -> Contract:
        """Compare the server's tools again, as a call does after a change of tools or session; return the contract."""
        self._session.contract = _compare_tools(await self._session.tools(), self._protocol, self._package)
        return self.contract

    async def pinned_tools(self) -> list[dict[str, Any]]:
        """List the server's tools in wire form, for a model; with a pin, only the declared ones that match it."""
        listed = await self._session.tools()
        self._session.contract = _compare_tools(listed, self._protocol, self._package)
        refused = {*self._list_refused(), *(self.contract.new if self._pin else ())}
        return [tool for tool in listed if tool["name"] not in refused]

    def _list_refused(self) -> tuple[str, ...]:
        changed, reworded = self.contract.changed, self.contract.reworded
        return () if self._pin is None else changed + reworded if self._pin == "all" else changed

    def with_options(
        self,
        *,
        timeout: float | None = None,
        on_invalid: Literal["raise", "warn", "raw"] | None = None,
        on_mismatch: Literal["ignore", "warn"] | None = None,
        meta: Mapping[str, Any] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Return the same client with other options for its calls; an option that is None stays as before.

        Args:
            timeout: seconds that a call may take.
            on_invalid: as in `connect`.
            on_mismatch: as in `connect`.
            meta: the `_meta` of requests.
            on_progress: called with a call's progress so far, the total, and a message; it may be asynchronous.
        """
        chosen: dict[str, Any] = {"timeout": timeout, "on_invalid": on_invalid, "on_mismatch": on_mismatch}
        chosen |= {"meta": meta, "on_progress": on_progress}
        client = self.copy_of(self)
        client._options = replace(self._options, **{name: value for name, value in chosen.items() if value is not None})
        return client

    async def _call(self, tool: _Tool, /, *unnamed: object, **values: Any) -> Any:
        _refuse_unnamed(unnamed, tool.name, tool.arguments)
        return await self._send(tool, tool.arguments(**values))

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call the tool that a model has chosen, by its name and with a JSON object, both as on the wire.

        It is the same as the tool's own method. It raises LookupError if the package has no such tool.
        """
        if name not in self._package.tool_modules:
            advice = suggest(name, self._package.tool_modules, ";")
            raise LookupError(f"{self._package.name} has no tool called {name!r}{advice}")
        tool = self._package.get_named_tool(name)
        return await self._send(tool, tool.arguments.model_validate(dict(arguments)))

    async def _send(self, tool: _Tool, values: Any) -> Any:
        arguments = values.to_structured_content()
        if self._session.take_change():
            await self.refresh()
        if tool.name in self._list_refused():
            raise ToolChangedError(tool.name, self.contract.changes.get(tool.name, ""))

        def find_rest() -> float | None:
            """Return the seconds that are left for the call."""
            return None if options.timeout is None else options.timeout + start - monotonic()

        async def receive(result: Any) -> Callable[[], Any]:
            has_value: bool = tool.result._holds_json  # pyright: ignore[reportPrivateUsage]
            timeout = options.timeout if as_task else find_rest()
            whole = await self._follow_link(result, options, timeout) if has_value else result
            return partial(_read_result, tool.name, result, partial(self._read, tool, whole))

        as_task, start = isinstance(self, descriptors.TaskCaller), monotonic()
        options = replace(self._options) if self._options.on_progress else self._options  # see `Session._progress`
        result = await self._session.call(tool.name, arguments, options, as_task)
        if as_task:
            return ToolTask(tool.name, self._session, result, receive, options)
        if isinstance(result, TaskStatus):
            result = await ToolTask(tool.name, self._session, result, receive, options).finish(find_rest())
        raw = descriptors.RawResult(result, await receive(result))
        return raw if isinstance(self, descriptors.RawCaller) else raw.parse()

    async def _follow_link(self, result: Any, options: CallOptions, timeout: float | None) -> Any:
        """Return a result with the JSON to which it links embedded; unchanged if it has its value, or no such link."""
        if isinstance(result, BaseModel) and getattr(result, map_attributes(type(result))["structuredContent"], None):
            return result  # the usual case
        try:
            answer = Answer.of(result)
        except ValidationError:  # reading it says why
            return result
        has_value = answer.has_structured or find_json_resource(answer.content) is not None
        uri = None if has_value or answer.is_error else find_json_link(answer.content)
        if uri is None:
            return result
        contents = (await self._session.read(uri, replace(options, on_progress=None, timeout=timeout))).contents
        text = getattr(contents[0], "text", None) if len(contents) == 1 else None
        if not isinstance(text, str):
            return result
        others = [block for block in answer.content if block.get("uri") != uri]
        return {**answer.to_wire_dict(), "content": [*others, make_resource(JSON_MIME_TYPE, "text", text)]}

    def _read(self, tool: _Tool, result: Any) -> Any:
        if self._options.on_mismatch == "warn":
            answer = Answer.of(result)
            has_both = answer.has_structured and not answer.is_error
            if has_both and (path := find_mismatch(answer.content, answer.structured)) is not None:
                place = f" at {format_pointer(shorten_path(path, LOG_BYTES // 2))}" if path else ""
                warn_caller(f"{tool.name}: the JSON in content is not that of structuredContent{place}")
        return tool.result.from_call_tool_result(result, self._protocol, on_invalid=self._options.on_invalid)


class ResourceClient(AttributeReader, descriptors.Caller):
    """Reads resources by name over a session: each attribute is a method. Base of the generated class.

    A method takes the variables of the URI by name, as strings, and returns an instance of the resource's class. It
    raises TypeError or ValueError, and sends nothing, if they do not fit, and ResultError if the answer does not.
    """

    _finder, _index = "find_resource", "resource_attributes"

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    async def _call(self, found: tuple[str, _Resource], /, *unnamed: object, **variables: Any) -> Any:
        entry = found[1]
        parameters = inspect.signature(entry.uri).parameters
        _refuse_unnamed(unnamed, entry.name, entry.uri)
        for name, value in variables.items():
            is_left_out = value is None and name in parameters and parameters[name].default is None
            if not isinstance(value, str) and not is_left_out:
                raise TypeError(f"{entry.name}: {name} should be a string, not {type(value).__name__}")
        result = await self._session.read(entry.uri(**variables), self._options)
        read = partial(entry.resource.from_read_resource_result, result, on_invalid=self._options.on_invalid)
        parse = partial(_read_result, entry.name, result, read)
        return descriptors.RawRead(result, parse) if isinstance(self, descriptors.RawCaller) else parse()


class PromptClient(AttributeReader, descriptors.Caller):
    """Gets prompts by name over a session: each attribute is a method. Base of the generated class.

    A method takes the arguments by name, and returns the SDK's GetPromptResult. It raises TypeError, or
    PromptArgumentsError if an argument is not a string or not one of the declared values; nothing was sent then.
    """

    _finder, _index = "find_prompt", "prompt_attributes"

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    async def _call(self, entry: descriptors.McpPromptOf[Any, Any, Any], /, *unnamed: object, **values: Any) -> Any:
        _refuse_unnamed(unnamed, entry.name, entry.arguments)
        arguments = entry.arguments(**values)
        entry.prompt.prompt.read_arguments(arguments)
        return await self._session.get_prompt(entry.name, arguments, self._options)


# --- comparing contracts ---------------------------------------------------------------------------------------------
def _compare_tools(tools: list[dict[str, Any]], protocol: str | None, package: Package) -> Contract:
    """Compare listed tools with the declared ones under a protocol version, and log what differs."""
    listed = {tool["name"]: tool for tool in tools}
    declared = {content["tool"]["name"]: content for content in package.load_tools()}
    shared = [name for name in declared if name in listed]
    changes = {name: _compare_tool(listed[name], declared[name], protocol) for name in shared}
    contract = Contract(
        tuple(name for name, (contract_change, _) in changes.items() if not contract_change),
        tuple(name for name, (contract_change, _) in changes.items() if contract_change),
        tuple(name for name in declared if name not in listed),
        tuple(sorted(listed.keys() - declared.keys())),
        tuple(name for name, (_, rewording) in changes.items() if rewording),
        {name: cut_text("; ".join(filter(None, both)), LOG_BYTES) for name, both in changes.items() if any(both)},
    )
    for name in contract.changed:
        logger.warning("The server's tool %r is not the declared one", name)
    for name in contract.reworded:
        logger.info("The server describes the tool %r differently: %s", name, contract.changes[name])
    for name in contract.missing:
        logger.warning("The server has no tool %r", name)
    return contract


def _compare_tool(tool: dict[str, Any], content: dict[str, Any], protocol: str | None) -> tuple[str, str]:
    """Describe how the contract and the wording of a listed tool differ from the declared ones; "" if they do not."""
    advertised, contract_change = advertise_tool(content, protocol or NEWEST_OBJECT_RESULT), ""
    changes: list[tool_contract.Change] = []
    try:
        restored = _restore_declared_form(tool, content, advertised)
        if tool_contract.contract_hash(restored) != content["contract"]:
            contracts = tool_contract.comparable_contracts(content["tool"], restored)
            changes = tool_contract.list_contract_changes(*contracts)
        if texts := "; ".join(map(str, changes)):
            contract_change = f"its arguments or results differ: {cut_text(texts, LOG_BYTES)}"
    except Exception:  # invalid schemas may cause any error
        logger.warning("The server's tool %r has schemas that cannot be read", tool["name"])
        contract_change = "its schemas cannot be read"
    if "outputSchema" not in tool or protocol is None:
        # the session's version decides whether there is one, and in which form
        advertised, tool = ({**side, "outputSchema": None} for side in (advertised, tool))
    try:  # the title of a new or missing property comes with a change of the contract
        rewordings = [
            change.describe_wording()
            for change in tool_contract.list_wording_changes(advertised, tool)
            if not any(other.covers(change.pointer) for other in changes)
        ]
        return contract_change, cut_text("; ".join(rewordings), LOG_BYTES)
    except Exception:  # invalid schemas may cause any error
        return contract_change, "its description cannot be read"


def _restore_declared_form(tool: dict[str, Any], content: dict[str, Any], advertised: dict[str, Any]) -> dict[str, Any]:
    """Return a listed tool with the declared outputSchema if its own is the same, or only the settings have one."""
    if "outputSchema" not in content["tool"]:
        return tool
    schemas = [tool_contract.canonical_schema(side.get("outputSchema")) for side in (advertised, tool)]
    is_from_settings = tool.get("outputSchema") is None and content.get("outputSchemaFrom") == "settings"
    differs = tool_contract.list_contract_changes(*({"outputSchema": schema} for schema in schemas))
    return {**tool, "outputSchema": content["tool"]["outputSchema"]} if is_from_settings or not differs else tool
