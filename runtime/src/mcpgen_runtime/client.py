"""Base of generated clients."""

from __future__ import annotations

import difflib
import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from pydantic import ValidationError

from .arguments import list_parameters, warn_caller
from .content import NEWEST_OBJECT_RESULT, Answer, find_mismatch
from .descriptors import Caller, McpPromptOf, McpResourceOf, McpToolOf, RawCaller, RawRead, RawResult
from .errors import LOG_BYTES, ResultError, ToolChangedError, cut_text, format_pointer, list_problems, shorten_path
from .package import Package, is_attribute
from .tool_contract import (
    Change,
    canonical_schema,
    comparable_contracts,
    contract_hash,
    list_contract_changes,
    list_wording_changes,
)
from .tool_definitions import advertise_tool

if TYPE_CHECKING:
    from typing import Self


MessageHandler: TypeAlias = Callable[[Any], Awaitable[None]]
SessionT = TypeVar("SessionT")
SessionT_co = TypeVar("SessionT_co", covariant=True)
PAGES = 1000
"""Maximum pages of a listing; a server with more pages probably never ends it."""
_TOOLS_CHANGED = "notifications/tools/list_changed"
OnProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Receives a call's progress: the progress so far, the total, and a message."""


class ProgressCallback(Protocol):
    """The callback that SDKs call with progress."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Take the progress so far, its total, and a text."""


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

    @property
    def progress_callback(self) -> ProgressCallback | None:
        """The callback that the SDK calls with progress."""
        on_progress = self.on_progress
        if on_progress is None:
            return None

        async def report(progress: float, total: float | None, message: str | None) -> None:
            reported = on_progress(progress, total, message)
            if inspect.isawaitable(reported):
                await reported

        return report

    @property
    def meta_member(self) -> dict[str, Any]:
        """The `_meta` of the request as a member of its parameters; an empty dict if there is none."""
        return {} if self.meta is None else {"_meta": dict(self.meta)}


def make_unnamed_error(called: str, parameters: Iterable[str]) -> TypeError:
    """Return the error for arguments without names.

    Args:
        called: the name of what was called.
        parameters: the names of its parameters.
    """
    names = ", ".join(f"{name}=…" for name in parameters)
    takes = f"takes its arguments by name: {names}" if names else "takes no arguments"
    return TypeError(f"{called} {takes}")


class Connected(Protocol[SessionT_co]):
    """A client that has a session."""

    @property
    def session(self) -> SessionT_co:
        """The session."""
        ...


class Session(ABC, Generic[SessionT]):
    """Lists and calls tools over a connection; results have the SDK's classes, and are not checked against schemas.

    Args:
        connection: a session, or a client that has one.

    Raises:
        TypeError: it is neither.
    """

    _session_class: ClassVar[type[Any]]
    """The SDK's class of sessions."""

    def __init__(self, connection: SessionT | Connected[SessionT]) -> None:
        if not isinstance(connection, self._session_class) and not hasattr(connection, "session"):
            raise TypeError(
                f"connect takes an open client or session of the SDK, not {type(connection).__name__}: "
                "open it with `async with … as client`, and pass the client"
            )
        self._connection = connection
        self._watched: object = None
        self._has_changed = False
        self._watch()

    @property
    def _session(self) -> SessionT:
        """The connection's current session: after reconnecting, it is a new one."""
        connection: Any = self._connection
        return cast(SessionT, connection if isinstance(connection, self._session_class) else connection.session)

    @property
    def protocol(self) -> str | None:
        """Protocol version of the session; None: the SDK does not keep it."""
        return None

    # --- changes -----------------------------------------------------------------------------------------------------
    def take_change(self) -> bool:
        """Return whether the session or the server's list of tools has changed since the last call of this method."""
        self._watch()
        changed, self._has_changed = self._has_changed, False
        return changed

    def _watch(self) -> None:
        """Notice what the server announces to the connection's current session."""
        session = self._session
        if session is self._watched:
            return
        self._has_changed = self._watched is not None
        self._watched = session
        if isinstance(session, self._session_class):
            self._wrap_message_handler(session, self._make_watching)

    def _make_watching(self, handler: MessageHandler) -> MessageHandler:
        """Return a handler of the server's messages that also notices changes of its tools."""

        async def notice(message: Any) -> None:
            if getattr(getattr(message, "root", message), "method", "") == _TOOLS_CHANGED:
                self._has_changed = True
            await handler(message)

        return notice

    @abstractmethod
    def _wrap_message_handler(self, session: SessionT, wrap: Callable[[MessageHandler], MessageHandler]) -> None:
        """Replace a session's handler of the server's messages by what `wrap` makes of it."""

    # --- requests ----------------------------------------------------------------------------------------------------
    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools of the server in wire form.

        Raises:
            RuntimeError: the listing does not end.
        """
        listed: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(PAGES):
            tools, cursor = await self._list_page(cursor)
            listed += [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]
            if cursor is None:
                return listed
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    @abstractmethod
    async def _list_page(self, cursor: str | None) -> tuple[list[Any], str | None]:
        """Return a page of the server's tools, and the cursor of the next page."""

    @abstractmethod
    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> Any:
        """Call a tool, and return the SDK's CallToolResult.

        Args:
            tool: its name.
            arguments: its arguments, a JSON object.
            options: of the call.

        Raises:
            Exception: the server answered with a protocol error, which the SDK raises.
            RuntimeError: the tool asks for input, but the connection is a session without a client.
        """

    @abstractmethod
    async def read(self, uri: str, options: CallOptions) -> Any:
        """Read a resource, and return the SDK's ReadResourceResult.

        Args:
            uri: its URI.
            options: of the read.

        Raises:
            Exception: the server answered with a protocol error, which the SDK raises.
        """

    @abstractmethod
    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> Any:
        """Get a prompt, and return the SDK's GetPromptResult.

        Args:
            name: its name.
            arguments: its arguments.
            options: of the request.

        Raises:
            Exception: the server answered with a protocol error, which the SDK raises.
        """


_Tool: TypeAlias = McpToolOf[Any, Any, Any, Any, Any]
ConnectionT = TypeVar("ConnectionT")

logger = logging.getLogger(__name__)

Pin: TypeAlias = Literal["types", "all"]
"""Which parts of a tool must match the declaration: its name and schemas, or everything that a model reads."""


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


@dataclass
class _Comparison:
    """The last comparison, which a client shares with its copies with other options."""

    contract: Contract


class ToolClient(Caller, Generic[ConnectionT]):
    """Calls tools by name over a session: each attribute is a method. Base of the generated `Client`.

    `connect` makes it.
    """

    _package: ClassVar[Package]
    """The declared tools."""

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
        self._comparison = _Comparison(contract)

    @staticmethod
    def _make_session(connection: Any) -> Session[Any]:
        """Return the session of a connection of the SDK.

        Raises:
            TypeError: the connection is neither a session nor a client that has one.
        """
        raise NotImplementedError

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
            on_invalid: what to do with a result that violates its outputSchema, or a resource that violates its schema;
                see `from_call_tool_result`.
            timeout: seconds that a call may take; None: the session's own.
            pin: refuse to call tools whose schemas ("types"), or schemas and wording ("all"), differ from the declared
                ones.
            on_mismatch: "warn" about a result whose content has other JSON than its structured content, since a model
                may read the one and this program the other.

        Raises:
            TypeError: the connection is neither a session nor a client that has one.
            RuntimeError: the server's list of tools does not end.
        """
        session = cls._make_session(connection)
        version = protocol or session.protocol
        contract = await compare(session, version, cls._package)
        return cls(session, version, contract, on_invalid=on_invalid, timeout=timeout, pin=pin, on_mismatch=on_mismatch)

    @classmethod
    def copy_of(cls, client: ToolClient[Any]) -> Self:
        """Return a client of this class with the session and the options of `client`."""
        other = cls.__new__(cls)
        vars(other).update(vars(client))
        return other

    @property
    def contract(self) -> Contract:
        """How the server's tools compare with the declared ones."""
        return self._comparison.contract

    async def refresh(self) -> Contract:
        """Compare the server's tools again, and return the contract.

        A call does this by itself after the server announced that its tools changed, and when the connection has a new
        session.

        Raises:
            RuntimeError: the server's list of tools does not end.
        """
        self._comparison.contract = await compare(self._session, self._protocol, self._package)
        return self.contract

    async def pinned_tools(self) -> list[dict[str, Any]]:
        """List the server's tools in wire form, to show them to a model.

        With a pin, the list has only tools that match it, without changed and undeclared ones.

        Raises:
            RuntimeError: the server's list of tools does not end.
        """
        listed = await self._session.tools()
        self._comparison.contract = compare_listed(listed, self._protocol, self._package)
        refused = {*self._list_refused(), *(self.contract.new if self._pin else ())}
        return [tool for tool in listed if tool["name"] not in refused]

    def _list_refused(self) -> tuple[str, ...]:
        """Return the tools that do not match the pin."""
        contract = self.contract
        if self._pin is None:
            return ()
        return contract.changed + (contract.reworded if self._pin == "all" else ())

    def with_options(
        self,
        *,
        timeout: float | None = None,
        on_invalid: Literal["raise", "warn", "raw"] | None = None,
        on_mismatch: Literal["ignore", "warn"] | None = None,
        meta: Mapping[str, Any] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Return the same client with other options for its calls.

        Args:
            timeout: seconds that a call may take; None: as before.
            on_invalid: what to do with a result or a resource that violates its schema; None: as before.
            on_mismatch: what to do with a result whose content has other JSON than its structured content; None: as
                before.
            meta: the `_meta` of requests; None: as before.
            on_progress: called with the progress of a call: the progress so far, the total, and a message. It may be
                asynchronous. None: as before.
        """
        client = self.copy_of(self)
        chosen = {
            "timeout": timeout,
            "on_invalid": on_invalid,
            "on_mismatch": on_mismatch,
            "meta": meta,
            "on_progress": on_progress,
        }
        chosen_values = {name: value for name, value in chosen.items() if value is not None}
        client._options = replace(self._options, **cast(Any, chosen_values))
        return client

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            if name in ("prompts", "resources"):
                raise AttributeError(f"{self._package.name} has no {name}")
            return partial(self._call, self._package.find_tool(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.tool_attributes.values()})

    async def _call(self, tool: _Tool, /, *unnamed: object, **values: Any) -> Any:
        """Call a tool.

        Raises:
            TypeError: there are arguments without names.
            pydantic.ValidationError: the arguments do not fit; nothing was sent.
            ToolCallError: the result has `isError`.
            ResultError: the result violates the tool's outputSchema.
            ToolChangedError: the tool does not match the pin.
        """
        if unnamed:
            raise make_unnamed_error(tool.name, list_parameters(tool.arguments))
        return await self._send(tool, tool.arguments(**values))

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call the tool that a model has chosen, by its name and with a JSON object, both as on the wire.

        Returns:
            What the tool's own method returns.

        Raises:
            LookupError: the package has no such tool.
            Exception: as the tool's own method.
        """
        if name not in self._package.tool_modules:
            close = difflib.get_close_matches(str(name), self._package.tool_modules, 1)
            advice = f"; did you mean {close[0]!r}?" if close else ""
            raise LookupError(f"{self._package.name} has no tool called {name!r}{advice}")
        tool = self._package.get_named_tool(name)
        return await self._send(tool, tool.arguments.model_validate(dict(arguments)))

    async def _send(self, tool: _Tool, values: Any) -> Any:
        """Call a tool with an instance of its arguments."""
        arguments = values.to_structured_content()
        if self._session.take_change():
            await self.refresh()
        if tool.name in self._list_refused():
            raise ToolChangedError(tool.name, self.contract.changes.get(tool.name, ""))
        result = await self._session.call(tool.name, arguments, self._options)
        parse = partial(self._read, tool, result)
        return RawResult(result, parse) if isinstance(self, RawCaller) else parse()

    def _read(self, tool: _Tool, result: Any) -> Any:
        try:
            if self._options.on_mismatch == "warn":
                _warn_about_mismatch(tool.name, Answer.of(result))
            return tool.result.from_call_tool_result(result, self._protocol, on_invalid=self._options.on_invalid)
        except ValidationError as error:
            raise ResultError(tool.name, list_problems(error), result=result) from error


def _warn_about_mismatch(tool: str, answer: Answer) -> None:
    if answer.is_error or not answer.has_structured:
        return
    path = find_mismatch(answer.content, answer.structured)
    if path is not None:
        place = f" at {format_pointer(shorten_path(path, LOG_BYTES // 2))}" if path else ""
        warn_caller(f"{tool}: the JSON in content is not that of structuredContent{place}")


async def compare(session: Session[Any], protocol: str | None, package: Package) -> Contract:
    """Compare the tools that a server lists with the declared ones."""
    return compare_listed(await session.tools(), protocol, package)


def compare_listed(tools: list[dict[str, Any]], protocol: str | None, package: Package) -> Contract:
    """Compare a listing with the declared tools.

    Args:
        tools: the tools in wire form.
        protocol: the session's protocol version.
        package: the declared tools.
    """
    listed = {tool["name"]: tool for tool in tools}
    declared = {content["tool"]["name"]: content for content in package.load_tools()}
    comparisons = {
        name: _compare_tool(listed[name], content, protocol) for name, content in declared.items() if name in listed
    }
    changes = {name: str(found) for name, found in comparisons.items()}
    compared = Contract(
        tuple(name for name, found in comparisons.items() if not found.contract),
        tuple(name for name, found in comparisons.items() if found.contract),
        tuple(name for name in declared if name not in listed),
        tuple(sorted(listed.keys() - declared.keys())),
        tuple(name for name, found in comparisons.items() if found.wording),
        {name: text for name, text in changes.items() if text},
    )
    for name in compared.changed:
        logger.warning("The server's tool %r is not the declared one", name)
    for name in compared.reworded:
        logger.info("The server describes the tool %r differently: %s", name, changes[name])
    for name in compared.missing:
        logger.warning("The server has no tool %r", name)
    return compared


class _ToolComparison(NamedTuple):
    """How a listed tool differs from the declared one: texts, empty if it does not."""

    contract: str
    wording: str

    def __str__(self) -> str:
        return cut_text("; ".join(filter(None, self)), LOG_BYTES)


def _compare_tool(tool: dict[str, Any], content: dict[str, Any], protocol: str | None) -> _ToolComparison:
    """Compare a listed tool with the declared one.

    Args:
        tool: the tool as listed.
        content: the content of the JSON file of the declared tool.
        protocol: the session's protocol version.
    """
    changes: list[Change] = []
    contract_text = ""
    try:
        restored = _restore_declared_form(tool, content, protocol)
        if contract_hash(restored) != content["contract"]:
            changes = list_contract_changes(*comparable_contracts(content["tool"], restored))
            contract_text = "its arguments or results differ" if changes else ""
    except Exception:  # invalid schemas may cause any error
        logger.warning("The server's tool %r has schemas that cannot be read", tool["name"])
        contract_text = "its schemas cannot be read"
    if changes:
        contract_text = f"{contract_text}: {cut_text('; '.join(map(str, changes)), LOG_BYTES)}"
    return _ToolComparison(contract_text, _describe_wording(tool, content, protocol, changes))


def _restore_declared_form(tool: dict[str, Any], content: dict[str, Any], protocol: str | None) -> dict[str, Any]:
    """Return a listed tool in its declared form: not wrapped, and with its outputSchema.

    If only the settings give the tool an outputSchema, its server need not declare one.
    """
    if "outputSchema" not in content["tool"]:
        return tool
    declared_output = {"outputSchema": content["tool"]["outputSchema"]}
    if not _declares_output(tool) and content.get("outputSchemaFrom") == "settings":
        return {**tool, **declared_output}
    advertised_tool = advertise_tool(content, protocol or NEWEST_OBJECT_RESULT)
    outputs = [{"outputSchema": _get_canonical_output(side)} for side in (advertised_tool, tool)]
    return tool if list_contract_changes(*outputs) else {**tool, **declared_output}


def _describe_wording(
    tool: dict[str, Any], content: dict[str, Any], protocol: str | None, contract_changes: list[Change]
) -> str:
    """Describe how the wording of a listed tool differs from the declared one; empty if it does not.

    The title of a new or missing property comes with a change of the contract.
    """
    declared = advertise_tool(content, protocol or NEWEST_OBJECT_RESULT)
    if "outputSchema" not in tool or protocol is None:
        # the session's version decides whether there is one, and in which form
        declared = {key: value for key, value in declared.items() if key != "outputSchema"}
        tool = {key: value for key, value in tool.items() if key != "outputSchema"}
    try:
        texts = [
            change.describe_wording()
            for change in list_wording_changes(declared, tool)
            if not any(other.covers(change.pointer) for other in contract_changes)
        ]
        return cut_text("; ".join(texts), LOG_BYTES)
    except Exception:  # invalid schemas may cause any error
        return "its description cannot be read"


def _get_canonical_output(tool: Mapping[str, Any]) -> Any:
    return canonical_schema(tool["outputSchema"]) if _declares_output(tool) else None


def _declares_output(tool: Mapping[str, Any]) -> bool:
    return tool.get("outputSchema") is not None


class ResourceClient(Caller):
    """Reads resources by name over a session: each attribute is a method. Base of the generated class."""

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._read, self._package.find_resource(name)[1])

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.resource_attributes.values()})

    async def _read(self, entry: McpResourceOf[Any, Any, Any, Any], /, *unnamed: object, **variables: Any) -> Any:
        """Read a resource.

        Raises:
            TypeError: a variable has no name, is missing or unknown, or is not a string; nothing was sent.
            ValueError: the URI template does not take the variables; nothing was sent.
            ResultError: a ValueError; the text is not JSON, or violates the resource's schema.
        """
        parameters = inspect.signature(entry.uri).parameters
        if unnamed:
            raise make_unnamed_error(entry.name, parameters)
        for name, value in variables.items():
            if not (isinstance(value, str) or (value is None and _is_optional(parameters, name))):
                kind = type(value).__name__
                raise TypeError(f"{entry.name}: {name} should be a string, not {kind}")
        result = await self._session.read(entry.uri(**variables), self._options)
        parse = partial(self._parse, entry, result)
        return RawRead(result, parse) if isinstance(self, RawCaller) else parse()

    def _parse(self, entry: McpResourceOf[Any, Any, Any, Any], result: Any) -> Any:
        try:
            return entry.resource.from_read_resource_result(result, on_invalid=self._options.on_invalid)
        except ValidationError as error:
            raise ResultError(entry.name, list_problems(error), result=result) from error


def _is_optional(parameters: Mapping[str, inspect.Parameter], name: str) -> bool:
    return name in parameters and parameters[name].default is None


class PromptClient(Caller):
    """Gets prompts by name over a session: each attribute is a method. Base of the generated class."""

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._get, self._package.find_prompt(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.prompt_attributes.values()})

    async def _get(self, entry: McpPromptOf[Any, Any, Any], /, *unnamed: object, **values: Any) -> Any:
        """Get a prompt, and return the SDK's GetPromptResult.

        Raises:
            TypeError: an argument has no name, or is missing or unknown; nothing was sent.
            PromptArgumentsError: an argument is not a string, or not one of the declared values; nothing was sent.
        """
        if unnamed:
            raise make_unnamed_error(entry.name, inspect.signature(entry.arguments).parameters)
        arguments = entry.arguments(**values)
        entry.prompt.prompt.read_arguments(arguments)
        return await self._session.get_prompt(entry.name, arguments, self._options)
