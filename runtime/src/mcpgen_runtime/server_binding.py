"""Bind handlers to tools: the part that all SDKs share."""

from __future__ import annotations

import copy
import gc
import logging
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from .answers import Answer, map_attributes
from .content_blocks import block_to_wire
from .deep_values import read_value
from .descriptors import McpToolOf, ToolBinder
from .errors import MODEL_BYTES, PUBLIC_BYTES, NoJsonForm, ResultError, list_problems
from .handler_binding import HandlerBinding
from .handler_seam import ServerT, set_instructions
from .json_values import IteratorFailed
from .lenient_arguments import coerce_arguments
from .models import Copied
from .own_types import OwnTypeError, OwnTypes, find_json_parameters, list_types, refuse_own_models
from .package import Package
from .plain_classes import explain_refusal
from .protocol_types import ProtocolTypes
from .protocol_versions import ANY_JSON_RESULT_SINCE, NEWEST_OBJECT_RESULT, RESULT_TYPE_SINCE, STRUCTURED_CONTENT_SINCE
from .tool_definitions import ToolInfo, get_input_check
from .tool_handlers import HandlerCall, HandlerFunction
from .tool_overrides import OverriddenTool, ToolOverride, override_tools
from .tool_result import ToolResultOf, make_error
from .validator_gaps import CheckFailed
from .violations import Problem, cut_text, format_pointer, shorten_problem

if TYPE_CHECKING:
    from typing import Self

_Tool: TypeAlias = McpToolOf[Any, Any, Any, Any, Any]
logger = logging.getLogger(__name__)

_JSON_TYPES = frozenset((dict, list, tuple, str, int, float, bool, type(None)))

_GARBAGE_THRESHOLD = 100_000
"""Number of new objects that start the garbage collector during a conversion."""

IN_PROCESS = NEWEST_OBJECT_RESULT
"""Protocol version of a call without a session: every SDK's types support its results."""

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
    own_types: OwnTypes
    """Conversions of a lenient tool's arguments to the handler's own types."""
    parses_text: bool = False
    """Whether a lenient tool parses JSON text."""

    @property
    def as_sdk(self) -> bool:
        """Whether the SDK converts the handler's return value, as for its own tools."""
        return self.info.as_sdk

    @property
    def raises(self) -> bool:
        """Whether the SDK reports a handler's exceptions, as for its own tools."""
        return self.info.raises

    @property
    def names(self) -> frozenset[str]:
        """The parameters that receive the client's arguments."""
        return self.call.given

    @property
    def types(self) -> ProtocolTypes[Any, Any]:
        """The classes of the package's SDK."""
        return self.result._types  # pyright: ignore[reportPrivateUsage]

    def describe(self) -> dict[str, Any]:
        """Return the members of the advertised tool, as the classes of SDKs for their tools name them."""
        definition = self.info.advertise(IN_PROCESS)
        return {
            "name": self.tool,
            "title": definition.get("title"),
            "description": definition.get("description"),
            "parameters": definition["inputSchema"],
            "output_schema": definition.get("outputSchema"),
            "annotations": definition.get("annotations"),
            "icons": definition.get("icons"),
            "meta": definition.get("_meta"),
        }

    @classmethod
    def of(cls, tool: _Tool, handler: Callable[..., Any], injected: Iterable[str]) -> BoundTool:
        """Check a handler's signature against the arguments of its tool.

        Args:
            tool: the tool.
            handler: takes the tool's arguments, as keyword parameters or as one object.
            injected: the parameters that the SDK fills in.

        Raises:
            TypeError: the handler cannot be called with the tool's arguments.
        """
        arguments: type[BaseModel] = tool.arguments
        function = HandlerFunction.of(handler)
        result: type[ToolResultOf[Any, Any]] = tool.result
        info = result._tool  # pyright: ignore[reportPrivateUsage]
        call = HandlerCall.of(function, arguments, injected)
        call.warn_about_defaults(tool.name, function, info.definition["inputSchema"])
        package = arguments.__module__.rpartition(".tools.")[0]
        given = {name: item for name, item in function.annotations.items() if name in call.given}
        types = list_types(arguments, call.wires)
        if not info.lenient:
            refuse_own_models(given, types, package)
        converts = info.lenient and call.whole is None
        own_types = OwnTypes(function.annotations if converts else dict[str, Any](), package)
        if call.whole is None:
            names = [name for name in types if name not in own_types.names]
            as_json = find_json_parameters(function.list_annotations(names), types)
            call = replace(call, as_json=as_json)
        return cls(tool.name, handler, result, arguments, call, info, own_types)

    def read(self, sent: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the handler's keyword arguments: the client's arguments by Python names, or as one object.

        Raises:
            ArgumentsError: they do not fit the inputSchema; the text names the JSON pointer of each violation.
        """
        value = dict(sent) if sent else dict[str, Any]()
        if self.info.lenient:
            depth = self.info.package.limits.value_depth
            value = coerce_arguments(value, self.arguments, self.parses_text, depth)
        problems = self._find_violations(value, False) if self.info.checks_input else []
        if not problems:
            try:
                values = self.call.select(read_value(self.arguments, value), value)
                self.own_types.convert(values, value, self.call.wires)
                return values
            except OwnTypeError as error:
                problems = _format_problems(error.problems)
            except ValidationError as error:
                problems = self._find_violations(value, True)  # in the schema's terms
                if not problems:  # for example a lone surrogate, which JSON text can contain
                    problems = _format_problems(list_problems(error))
        text = f"Invalid arguments for {self.tool}: {'; '.join(problems)}"
        raise ArgumentsError(cut_text(text, MODEL_BYTES))

    def _find_violations(self, value: dict[str, Any], is_refused: bool) -> list[str]:
        """Return the JSON pointer and message of the first violations of the inputSchema and of native formats.

        Args:
            value: the arguments.
            is_refused: whether their types have refused them.
        """
        try:
            problems = get_input_check(self.info.file).problems(value)
            if problems or is_refused:
                problems = explain_refusal(self.arguments, value, problems)
        except CheckFailed as error:
            problems = [Problem((), "check", str(error))]
        except ValueError as error:
            problems = [Problem((), "schema", f"the inputSchema cannot be read: {error}")]
        return [*_format_violations(problems)]

    def answer(self, value: object, version: str) -> Any:
        """Convert a handler's value to a result; if it does not fit, log that and return an error result.

        The garbage collector starts less often meanwhile: the thousands of new dicts of a large result would start it
        several times, and none of them is garbage yet. It does not stop, since a handler's generator may make garbage.

        Raises:
            Exception: what an iterator of the handler raised, so call this where the handler's exceptions are caught.
        """
        thresholds = gc.get_threshold()
        is_lower = 0 < thresholds[0] < _GARBAGE_THRESHOLD
        if is_lower:
            gc.set_threshold(_GARBAGE_THRESHOLD, *thresholds[1:])
        try:
            if isinstance(value, self.result):
                return cast(Any, value)._answer(version)
            return self._convert(value, version)
        except ResultError as error:
            logger.error("The handler of %r returned what does not fit: %s", self.tool, error)
            return self.types.tool_error(error, version)
        except IteratorFailed as failed:
            own_error = failed.error
        finally:
            if is_lower:
                gc.set_threshold(*thresholds)
        raise own_error  # here, so that it gets no other context

    def _convert(self, value: object, version: str) -> Any:
        """Convert a handler's value, of a declared type or of the user's own class."""
        try:
            if self._is_declared_type(value):
                return self.result._normalize(value, version)  # pyright: ignore[reportPrivateUsage]
            return self.result._normalize_any(value, version)  # pyright: ignore[reportPrivateUsage]
        except NoJsonForm as error:
            raise make_error(self.info, error) from error

    def _is_declared_type(self, value: object) -> bool:
        """Return whether a value may have a type that the tool declares for its handlers."""
        cls = type(value)
        return cls in _JSON_TYPES or issubclass(cls, self.types.result | Copied)

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


def _format_problems(problems: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{pointer}: {text}" if pointer else text for pointer, text in problems]


def _format_violations(problems: Sequence[Problem]) -> Iterator[str]:
    for problem in problems:
        path, message = shorten_problem(problem.path, problem.message, PUBLIC_BYTES // len(problems) - 4)
        place = format_pointer(path)
        yield f"{place}: {message}" if place else message


class ToolBinding(ToolBinder, HandlerBinding[_Tool, BoundTool], Generic[ServerT]):
    """Registers the handlers of a package's tools on a server, whose other tools do not change.

    Base of the generated `Tools`. Each attribute is a decorator for the handler of a tool:

        tools = bind(server)

        @tools.get_weather
        async def get_weather(city: str) -> GetWeatherResult: ...

    A decorator raises `TypeError` if the handler cannot be called with the tool's arguments.

    Args:
        server: a server of the SDK. If it has no instructions, it gets those of the package.
        package: the package.
        override: titles, descriptions and annotations instead of the declared ones, by the tools' exact names.

    Raises:
        TypeError: the server is not one of the SDK, there is no such tool, or an override would change anything else.
    """

    _kind = "tools"
    _parses_text: ClassVar[bool] = True
    """Whether the SDK's own tools parse JSON text."""
    _collects_generators: ClassVar[bool] = False
    """Whether the SDK collects the items of an asynchronous generator in a list."""

    def __init__(self, server: ServerT, package: Package, override: Mapping[str, ToolOverride] | None = None) -> None:
        super().__init__(override_tools(package, override))
        self._server = server
        self._options: dict[str, Any] = {}
        set_instructions(self._adapt_server(server), package)

    @abstractmethod
    def _adapt_server(self, server: ServerT) -> Any:
        """Make a server list and call the bound tools; return the server that answers the requests.

        Raises:
            TypeError: it is not a server of the SDK.
        """

    @abstractmethod
    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        """Return the parameters of a handler that the SDK fills in."""

    @abstractmethod
    def _register(self, bound: BoundTool, options: Mapping[str, Any]) -> None:
        """Register a tool on the server.

        Raises:
            TypeError: the server has a tool of this name already.
        """

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.tool_attributes

    def _find(self, attribute: str) -> tuple[str, _Tool]:
        tool: _Tool = self._package.find_tool(attribute)
        return tool.name, tool

    def _describe(self, key: str) -> str:
        return key

    def _add(self, key: str, entry: _Tool, handler: Callable[..., Any]) -> BoundTool:
        try:
            described = HandlerFunction.of(handler)
            if described.is_generator and not self._collects_generators:
                raise TypeError("it is an asynchronous generator, which this SDK does not collect")
            bound = BoundTool.of(entry, described.function, self._find_sdk_parameters(described.function))
        except TypeError as error:
            raise TypeError(f"the handler of {key} does not fit: {error}") from None
        members = self._package.overrides.get(key)
        info = OverriddenTool.of(bound.info, members) if members else bound.info
        bound = replace(bound, info=info, parses_text=self._parses_text)
        self._register(bound, self._options)
        return bound

    def _copy_with_options(self, options: Mapping[str, Any], known: Collection[str]) -> Self:
        """Copy the binding with SDK options for the tools that are bound next.

        Raises:
            TypeError: an option is not `known`.
        """
        for name in options:
            if name not in known:
                raise TypeError(f"a tool has no option {name!r}; there is {', '.join(known)}")
        binding = copy.copy(self)
        binding._options = {**self._options, **options}
        return binding


# --- on the wire -----------------------------------------------------------------------------------------------------
def write_result(result: BaseModel, version: str) -> dict[str, Any]:
    """Write a CallToolResult in the form of the protocol version, and distinguish null from absent."""
    fields, names = result.__dict__, map_attributes(type(result))
    out: dict[str, Any] = {"content": [block_to_wire(block) for block in fields[names["content"]]]}
    value, meta = fields[names["structuredContent"]], fields[names["_meta"]]
    if version >= STRUCTURED_CONTENT_SINCE and (value is not None or Answer.of(result).has_structured):
        natural = version >= ANY_JSON_RESULT_SINCE or isinstance(value, dict)
        out["structuredContent"] = value if natural else {"result": value}
    out["isError"] = fields[names["isError"]] is True  # also false, as the SDKs write it
    if meta is not None:
        out["_meta"] = Answer.of(result).meta
    if version >= RESULT_TYPE_SINCE:
        out["resultType"] = "complete"
    return out
