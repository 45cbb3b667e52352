"""Bind handlers to the tools of a package."""

from __future__ import annotations

import copy
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import iscoroutinefunction, unwrap
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError

from .arguments import coerce_arguments
from .content import NEWEST_OBJECT_RESULT, RESULT_TYPE_SINCE, STRUCTURED_CONTENT_SINCE
from .core_schemas import explain_refusal, read_value
from .descriptors import Binder, McpToolOf
from .errors import (
    MODEL_BYTES,
    PUBLIC_BYTES,
    CopiedError,
    NoJsonForm,
    Problem,
    ResultError,
    cut_text,
    join_problems,
    list_problems,
    shorten_problems,
)
from .json_values import IteratorFailed
from .linked_results import LinkedResults, ResultStore
from .models import Copied
from .package import Package, is_attribute, load_definition
from .schema_keywords import CheckFailed
from .tool_definitions import TaskSupport, ToolInfo, ToolOverride, advertise_tool, get_input_check, override_tools
from .tool_handlers import HandlerCall, HandlerFunction
from .tool_result import ToolResultOf, collect_less, make_error
from .wire_forms import ProtocolTypes

logger = logging.getLogger(__name__)

_SERVERS = {
    "dedalus_mcp": '"dedalus"',
    "fastmcp": '"fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3)',
    "mcp.server.fastmcp": '"mcp1"',
    "mcp.server.mcpserver": '"mcp"',
}
"""Modules of servers, and the values of `sdk` for them."""
_SESSION_MODULES = ("mcp.client", "mcp.server.session", "fastmcp.client", "dedalus_mcp.client")
_ADVICE: Mapping[tuple[str, ...], str] = {
    _SESSION_MODULES: ", which is a session: pass the server itself",
    **{(name,): f": set sdk = {sdks} in the settings and run mcpgen build" for name, sdks in _SERVERS.items()},
    ("starlette", "fastapi", "uvicorn"): ": pass the server that the app is made from",
}
"""What to do about an object that is not a server of the package's SDK, by the modules of its classes."""


def check_server(server: object, kinds: tuple[type[Any], ...], expected: str) -> None:
    """Raise a TypeError that says what to do, unless `bind` got a server of these kinds, which are `expected`."""
    if isinstance(server, kinds):
        return
    kind: type[Any] = server if isinstance(server, type) else type(server)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    if isinstance(server, type):
        raise TypeError(f"bind takes {expected}, not the class {name}: pass the server, an instance")
    for modules, advice in _ADVICE.items():
        prefixes = tuple(f"{module}." for module in modules)
        if any(f"{base.__module__}.".startswith(prefixes) for base in kind.__mro__):  # also a subclass by the user
            raise TypeError(f"bind takes {expected}, not a {name}{advice}")
    raise TypeError(f"bind takes {expected}, not an object of the type {name}: pass the server that offers the tools")


def name_taken(tool: str) -> str:
    """Return the message for a tool that the server already has."""
    return f"the server has a tool {tool} already: remove it there, or bind no handler to {tool} here"


def find_doubled(own_tools: Iterable[Any], handlers: Mapping[str, Callable[..., Any]]) -> Iterator[str]:
    """Yield a message for each handler, by its tool, that is also the `fn` of a tool of the SDK's own decorator."""
    names = {id(unwrap(handler)): name for name, handler in handlers.items()}
    for tool in own_tools:
        if (name := names.get(id(unwrap(tool.fn)))) is not None:
            code = getattr(unwrap(tool.fn), "__code__", None)
            place = "" if code is None else f" ({PurePath(code.co_filename).name}, line {code.co_firstlineno})"
            effect = "replaces it" if tool.name == name else "is a second tool"
            yield (
                f"the handler of {name}{place} also has the SDK's decorator: "
                f"its tool {tool.name} {effect}, without the checks of mcpgen. Remove the SDK's decorator"
            )


ServerT = TypeVar("ServerT")
EntryT = TypeVar("EntryT")
BoundT = TypeVar("BoundT")


class IncompleteServer(CopiedError, TypeError):
    """Raised when definitions of the package have no handler; `missing` are their names on the wire."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """Take the names on the wire, and where the handler of each is looked for, such as `@tools.get_row`."""
        self.missing = [*places]
        names = ", ".join(f"{name} (`{place}`)" for name, place in places.items())
        pronoun = "it" if len(places) == 1 else "them"
        super().__init__(
            f"no handler is bound for {names}: write {pronoun} there, "
            f"or take {pronoun} out of the definitions and run `mcpgen build`"
        )


class HandlerBinding(Binder, ABC, Generic[EntryT, BoundT]):
    """Registers the handlers of one kind of definitions on a server: each attribute is a decorator.

    A definition has a key: its name on the wire, or its URI if several resources have the same name.
    """

    _kind: ClassVar[str]
    """The kind of the definitions, as in the names of the variables of programs: `tools`."""
    _prefix: ClassVar[str] = ""
    """What stands before a key in messages."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._bound: dict[str, BoundT] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._bind, *self._find(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._get_attributes().values()})

    @abstractmethod
    def _get_attributes(self) -> Mapping[str, str]:
        """Return the attributes of all definitions, by their keys."""

    @abstractmethod
    def _find(self, attribute: str) -> tuple[str, EntryT]:
        """Return the key and the entry of the definition of this attribute, or raise AttributeError."""

    @abstractmethod
    def _fit(self, key: str, entry: EntryT, handler: Callable[..., Any]) -> BoundT:
        """Return a definition with its handler, or raise TypeError: the handler does not fit."""

    def _add(self, key: str, bound: BoundT) -> None:
        self._bound[key] = bound

    def _set_instructions(self, server: Any) -> None:
        if server.instructions is None:
            server.instructions = self._package.instructions

    def _bind(self, key: str, entry: EntryT, handler: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        subject = f"{self._prefix}{key}"
        if handler is None:
            decorator = f"@{self._kind}.{self._get_attributes()[key]}"
            raise TypeError(f"no handler for {subject}: write the decorator without parentheses, {decorator}")
        if key in self._bound:
            raise TypeError(f"{subject} has a handler already: remove one of the two")
        try:
            bound = self._fit(key, entry, handler)
        except TypeError as error:
            raise TypeError(f"the handler of {subject} does not fit: {error}") from None
        self._add(key, bound)
        return handler

    def implement(self, handlers: object) -> None:
        """Bind each definition that has no handler yet to the attribute of its name.

        Args:
            handlers: an object or a module with a function for each definition.

        Raises:
            IncompleteServer: an attribute is missing.
            TypeError: a function cannot be called with the arguments of its definition.
        """
        attributes = self._find_missing()
        lacking = {key: f"handlers.{name}" for key, name in attributes.items() if not hasattr(handlers, name)}
        if lacking:
            raise IncompleteServer(lacking)
        for name in attributes.values():
            self._bind(*self._find(name), getattr(handlers, name))

    def complete(self) -> None:
        """Check that every definition has a handler, or raise IncompleteServer."""
        if missing := self._find_missing():
            raise IncompleteServer({key: f"@{self._kind}.{name}" for key, name in missing.items()})

    def _find_missing(self) -> dict[str, str]:
        return {key: name for key, name in self._get_attributes().items() if key not in self._bound}

    def __contains__(self, key: object) -> bool:
        return key in self._bound


_Tool: TypeAlias = McpToolOf[Any, Any, Any, Any, Any]
_JSON_TYPES = frozenset((dict, list, tuple, str, int, float, bool, type(None)))
IN_PROCESS = NEWEST_OBJECT_RESULT  # the version of a call without a session: every SDK's types support its results
request_params: ContextVar[Any] = ContextVar(f"{__name__}.request_params", default=None)
"""The parameters of the request of a tool, as the SDK has them; None in the same process."""
session_version: ContextVar[str | None] = ContextVar(f"{__name__}.session_version", default=None)
"""Protocol version of the session whose request is being answered."""


class ArgumentsError(ValueError):
    """Raised when a client's arguments do not fit the inputSchema; the text is for the model."""


@dataclass(frozen=True)
class BoundTool:
    """A tool and its handler."""

    tool: str
    handler: Callable[..., Any]
    result: type[ToolResultOf[Any, Any]]
    arguments: type[BaseModel]
    call: HandlerCall
    """How the handler takes the arguments."""
    info: ToolInfo
    parses_text: bool = False
    """Whether a lenient tool parses JSON text."""
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members that are advertised instead of the declared ones."""

    @classmethod
    def of(cls, tool: _Tool, handler: Callable[..., Any], injected: Iterable[str]) -> BoundTool:
        """Bind a handler, whose `injected` parameters the SDK fills in, or raise TypeError: it does not fit."""
        info: ToolInfo = tool.result._tool  # pyright: ignore[reportPrivateUsage]
        call = HandlerCall.of(HandlerFunction.of(handler), tool.arguments, injected, info)
        return cls(tool.name, handler, tool.result, tool.arguments, call, info)

    @property
    def types(self) -> ProtocolTypes[Any, Any]:
        """The classes of the package's SDK."""
        return self.result._types  # pyright: ignore[reportPrivateUsage]

    @property
    def task_mode(self) -> TaskSupport:
        """The declared `execution.taskSupport`, for SDKs whose tasks are coroutines: others have no optional task."""
        is_call = self.info.task_support == "optional" and not iscoroutinefunction(self.handler)
        return "forbidden" if is_call else self.info.task_support

    def advertise(self, version: str) -> dict[str, Any]:
        """Return the Tool as a protocol version advertises it."""
        return {**advertise_tool(load_definition(self.info.file), version), **self.overrides}

    def describe(self) -> dict[str, Any]:
        """Return the members of the advertised tool, as the classes of SDKs for their tools name them."""
        definition = self.advertise(IN_PROCESS)
        return {
            **{member: definition.get(member) for member in ("title", "description", "annotations", "icons")},
            "name": self.tool,
            "parameters": definition["inputSchema"],
            "output_schema": definition.get("outputSchema"),
            "meta": definition.get("_meta"),
        }

    def read(self, sent: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the handler's keyword arguments for those that a client sent, or raise ArgumentsError."""
        value = dict[str, Any](sent or ())
        if self.info.lenient:
            value = coerce_arguments(value, self.arguments, self.parses_text, self.info.package.limits.value_depth)
        problems = self._find_violations(value, False) if self.info.checks_input else []
        if not problems:
            try:
                return self.call.select(read_value(self.arguments, value), value)
            except ValidationError as error:  # the schema has no words for a lone surrogate, or a handler's own type
                problems = self._find_violations(value, True) or list_problems(error)
        text = f"Invalid arguments for {self.tool}: {join_problems(problems)}"
        raise ArgumentsError(cut_text(text, MODEL_BYTES))

    def _find_violations(self, value: dict[str, Any], is_refused: bool) -> list[tuple[str, str]]:
        """Return the first violations of the inputSchema and of native formats; `is_refused`: there are some."""
        try:
            problems = get_input_check(self.info.file).problems(value)
            if problems or is_refused:
                problems = explain_refusal(self.arguments, value, problems)
        except CheckFailed as error:
            problems = [Problem((), "check", str(error))]
        except ValueError as error:
            problems = [Problem((), "schema", f"the inputSchema cannot be read: {error}")]
        pairs = [(problem.path, problem.message) for problem in problems]
        return shorten_problems(pairs, PUBLIC_BYTES // (len(pairs) or 1) - 4)

    def answer(self, value: object, version: str) -> Any:
        """Convert a handler's value to a result; if it does not fit, log that and return an error result.

        Raises:
            Exception: what an iterator of the handler raised, so call this where the handler's exceptions are caught.
        """
        version = max(version, STRUCTURED_CONTENT_SINCE) if self.info.linked else version
        try:
            return self._convert(value, version) if self.info.is_simple else collect_less(self._convert, value, version)
        except ResultError as error:
            logger.error("The handler of %r returned what does not fit: %s", self.tool, error)
            return self.types.tool_error(error, version)
        except IteratorFailed as failed:
            own_error = failed.error
        raise own_error  # here, so that it gets no other context

    def _convert(self, value: object, version: str) -> Any:
        result: Any = self.result
        if isinstance(value, result):
            return cast(Any, value)._answer(version)
        is_declared = type(value) in _JSON_TYPES or issubclass(type(value), self.types.result | Copied)
        try:
            return (result._normalize if is_declared else result._normalize_any)(value, version)
        except NoJsonForm as error:
            raise make_error(self.info, error) from error

    def reject_arguments(self, error: ArgumentsError, version: str) -> Any:
        """Return the error result for arguments that do not fit."""
        logger.info("What a client sent to %r does not fit", self.tool)  # the client's own text is not logged
        return self.types.tool_error(str(error), version)

    def reject_input_request(self, version: str) -> Any:
        """Return an error result if the handler asks for input, but the session's client does not support that."""
        if version >= RESULT_TYPE_SINCE or session_version.get() is None:
            return None
        text = f"{self.tool} asks for input, which a client of protocol version {version} cannot be asked for"
        return self.types.tool_error(text, version)

    def report_failure(self, version: str) -> Any:
        """Log an unexpected exception of the handler, and return an error result without its details."""
        logger.exception("The handler of %r failed", self.tool)
        return self.types.tool_error(f"Error executing tool {self.tool}", version)


def find_input_request(error: BaseException) -> dict[str, Any]:
    """Return the InputRequiredResult, in wire form, with which a form has ended a call, or raise the error itself."""
    wire: dict[str, Any] | None = getattr(error, "input_required", None)
    if wire is None:
        raise error
    return wire


class ToolBinding(HandlerBinding[_Tool, BoundTool], Generic[ServerT]):
    """Registers the handlers of a package's tools on a server, whose other tools do not change.

    Base of the generated `Tools`. Each attribute is a decorator for the handler of a tool, which raises `TypeError` if
    the handler cannot be called with the tool's arguments:

        @tools.get_weather
        async def get_weather(city: str) -> GetWeatherResult: ...

    Args:
        server: a server of the SDK. If it has no instructions, it gets those of the package.
        package: the package.
        override: titles, descriptions and annotations instead of the declared ones, by the tools' exact names.
        results: where the results of tools whose content is a link are kept; None: in the memory of this process.

    Raises:
        TypeError: the server is not one of the SDK, there is no such tool, or an override would change anything else.
    """

    _kind = "tools"
    _parses_text: ClassVar[bool] = True
    """Whether the SDK's own tools parse JSON text."""
    _collects_generators: ClassVar[bool] = False
    """Whether the SDK collects the items of an asynchronous generator in a list."""

    def __init__(
        self,
        server: ServerT,
        package: Package,
        override: Mapping[str, ToolOverride] | None = None,
        results: ResultStore | None = None,
    ) -> None:
        super().__init__(override_tools(package, override))
        self._server, self._results = server, LinkedResults(self._bound, results)
        self._options: dict[str, Any] = {}
        self._set_instructions(self._adapt_server(server))

    @abstractmethod
    def _adapt_server(self, server: ServerT) -> Any:
        """Make a server of the SDK list and call the bound tools; return the server that answers the requests."""

    @abstractmethod
    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        """Return the parameters of a handler that the SDK fills in."""

    @abstractmethod
    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        """Register a tool on the server, or raise TypeError: it has a tool of this name already."""

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.tool_attributes

    def _find(self, attribute: str) -> tuple[str, _Tool]:
        tool: _Tool = self._package.find_tool(attribute)
        return tool.name, tool

    def _fit(self, key: str, entry: _Tool, handler: Callable[..., Any]) -> BoundTool:
        described = HandlerFunction.of(handler)
        if described.is_generator and not self._collects_generators:
            raise TypeError("it is an asynchronous generator, which this SDK does not collect")
        bound = BoundTool.of(entry, described.function, self._find_sdk_parameters(described.function))
        return replace(bound, parses_text=self._parses_text, overrides=self._package.overrides.get(key, {}))

    def _add(self, key: str, bound: BoundTool) -> None:
        self._register(bound, self._options)
        if bound.info.linked:
            self._results.serve()
        super()._add(key, bound)

    def _copy_with_options(self, options: Mapping[str, Any], known: Collection[str]) -> Self:
        """Copy the binding with SDK options for the tools that are bound next; each must be a known one."""
        for name in options:
            if name not in known:
                raise TypeError(f"a tool has no option {name!r}; there is {', '.join(known)}")
        binding = copy.copy(self)
        binding._options = {**self._options, **options}
        return binding
