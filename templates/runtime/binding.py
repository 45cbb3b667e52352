"""Handlers bound to tools: what the glue of every SDK does alike."""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from pydantic import ValidationError

from .base import JsonObject
from .blocks import block_to_wire
from .deep import read_value
from .errors import ResultError, cut, problems_of
from .exact import SchemaCheck
from .jsonable import pointer
from .panics import CheckFailed
from .protocol import CallToolResult
from .runtime import Answer, ToolResult, advertised, attributes_of, tool_error, tools
from .violations import Problem, shortened_path

if TYPE_CHECKING:
    from typing_extensions import Self

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")

logger = logging.getLogger(__name__)

INJECTED: Any = object()
"""The default of a parameter that the SDK fills in, for those that have none of their own: `ctx: Context = INJECTED`."""

IN_PROCESS = "2025-11-25"
"""The protocol version of a call without a session, in whose form every SDK's own objects can hold a result."""

session_version: ContextVar[str | None] = ContextVar(f"{__name__}.session_version", default=None)
"""The protocol version of the session whose request is being answered."""


class IncompleteServer(TypeError):
    """Tools of the package have no handler; `missing` are their names on the wire."""

    def __init__(self, missing: Iterable[str]) -> None:
        self.missing = [*missing]
        super().__init__(f"no handler is bound for {', '.join(self.missing)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.missing,), self.__dict__


class ArgumentsError(ValueError):
    """What a client sent does not fit the tool's inputSchema; its text is for the model."""


@cache
def _input_check(tool: str) -> SchemaCheck:
    return SchemaCheck(tools()[tool]["inputSchema"])


@dataclass(frozen=True)
class Bound:
    """A tool and the handler that answers it."""

    tool: str
    handler: Callable[..., Any]
    result: type[ToolResult]
    arguments: type[JsonObject]
    parameters: frozenset[str]
    takes_extras: bool
    """Whether the handler has a `**` parameter, which undeclared arguments go to."""
    names: Mapping[str, str]
    """Python name → wire name of the tool's arguments."""
    checks: bool
    """Whether the inputSchema says what the types of the arguments do not."""
    as_sdk: bool
    """Whether what the handler returned is for the SDK to convert, as it does for its own tools."""

    @classmethod
    def of(
        cls, package: str, tool: str, handler: Callable[..., Any], injected: Iterable[str]
    ) -> Bound:
        """A handler, held against what its tool passes.

        Args:
            package: the generated package.
            tool: the tool's name on the wire.
            handler: takes the tool's arguments as keyword parameters.
            injected: the parameters that the SDK fills in.

        Raises:
            TypeError: it cannot be called with the tool's arguments.
        """
        own = import_module(package)
        arguments: type[JsonObject] = own.ARGUMENT_TYPES[tool]
        parameters = inspect.signature(handler).parameters
        extras = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
        problems = [*_problems(parameters, arguments, frozenset(injected))]
        if problems:
            raise TypeError(f"the handler of {tool} does not fit: {'; '.join(problems)}")
        names = {name: field.alias or name for name, field in arguments.model_fields.items()}
        result: type[ToolResult] = own.RESULT_TYPES[tool]
        info = result._tool  # pyright: ignore[reportPrivateUsage]
        return cls(
            tool,
            handler,
            result,
            arguments,
            frozenset(parameters),
            extras,
            names,
            info.checks_input,
            info.as_sdk,
        )

    def read(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The handler's keyword arguments: what the client sent, by Python names.

        Raises:
            ArgumentsError: they do not fit the inputSchema; the text names the JSON pointer of each violation.
        """
        value = dict(given) if given else dict[str, Any]()
        problems = [*_violations(self.tool, value)] if self.checks else []
        if not problems:
            try:
                return self._by_name(read_value(self.arguments, value), value)
            except ValidationError as error:
                problems = [*_violations(self.tool, value)]  # as the schema sees them
                if not problems:  # such as a lone surrogate, which JSON text can hold
                    problems = [f"{at}: {said}" if at else said for at, said in problems_of(error)]
        said = cut("; ".join(problems), 900)
        raise ArgumentsError(f"Invalid arguments for {self.tool}: {said}")

    def _by_name(self, made: JsonObject, given: Mapping[str, Any]) -> dict[str, Any]:
        own = made.__dict__
        out = {name: own[name] for name, wire in self.names.items() if wire in given}
        if self.takes_extras and made.model_extra:
            mine = self.parameters | self.names.keys()
            out.update({key: item for key, item in made.model_extra.items() if key not in mine})
        return out

    def answer(self, value: object, version: str) -> CallToolResult:
        """The result of what the handler returned; an error result, and a line in the log, where that does not fit."""
        try:
            if isinstance(value, self.result):
                return value._answered(version)  # pyright: ignore[reportPrivateUsage]
            return self.result.normalize(value, version)
        except ResultError as error:
            logger.exception("The handler of %r returned what does not fit", self.tool)
            return tool_error(error, version)

    def refused(self, error: ArgumentsError, version: str) -> CallToolResult:
        """The answer to arguments that do not fit."""
        logger.info("What a client sent to %r does not fit", self.tool)  # and is the client's own
        return tool_error(str(error), version)

    def asks(self, version: str) -> CallToolResult | None:
        """The answer when the handler asks for input, where the session's client cannot be asked."""
        if version >= "2026-07-28" or session_version.get() is None:
            return None
        text = f"{self.tool} asks for input, which a client of protocol version {version} cannot be asked for"
        return tool_error(text, version)

    def failed(self, version: str) -> CallToolResult:
        """The answer when the handler raised what nobody expected, which the model learns nothing of."""
        logger.exception("The handler of %r failed", self.tool)
        return tool_error(f"Error executing tool {self.tool}", version)


def _violations(tool: str, value: object) -> Iterator[str]:
    """Yield the first violations of the inputSchema: the JSON pointer of each, and what is wrong there."""
    try:
        problems = _input_check(tool).problems(value)
    except CheckFailed as error:
        problems = [Problem((), "check", str(error))]
    except ValueError as error:
        problems = [Problem((), "schema", f"the inputSchema cannot be read: {error}")]
    for problem in problems:
        place = pointer(shortened_path(problem.path, 150))
        yield f"{place}: {problem.message}" if place else problem.message


def _problems(
    parameters: Mapping[str, inspect.Parameter],
    arguments: type[JsonObject],
    injected: frozenset[str],
) -> Iterator[str]:
    fields = arguments.model_fields
    kinds = {one.kind for one in parameters.values()}
    for name, one in parameters.items():
        if one.kind is inspect.Parameter.POSITIONAL_ONLY:
            yield f"{name!r} can only be passed by position"
        elif one.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        elif name in fields:
            if not fields[name].is_required() and one.default is inspect.Parameter.empty:
                yield f"{name!r} may be absent, so the parameter needs a default"
        elif name not in injected and (
            one.default is inspect.Parameter.empty or one.default is INJECTED
        ):
            yield f"{name!r} is no argument of the tool, and the SDK does not fill it in"
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for name in fields:
            if name not in parameters:
                yield f"it takes no {name!r}"


class Decorator(Generic[_P, _Q, _R]):
    """What checkers know of `tools.name`: a call, whose parameter is spelt out where they report a handler.

    Of two Protocols in a union mypy would say no more than their names.
    """

    def __init__(
        self, plain: Callable[[], Callable[_P, _R]], context: Callable[[], Callable[_Q, _R]]
    ) -> None:
        raise NotImplementedError

    def __call__(self, handler: Callable[_P, _R] | Callable[_Q, _R], /) -> Callable[..., Any]:
        raise NotImplementedError


class Binding:
    """The tools of a package on their way to a server; the base of the generated `Tools`."""

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self._package, self._names = package, names
        self._bound: dict[str, Bound] = {}
        self._options: dict[str, Any] = {}

    def _bind(self, tool: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        if tool in self._bound:
            raise TypeError(f"{tool} has a handler already")
        bound = Bound.of(self._package, tool, handler, self._injected(handler))
        self._register(bound, self._options)
        self._bound[tool] = bound
        return handler

    def _implement(self, handlers: object) -> None:
        """Bind what has no handler yet to the attributes of `handlers`."""
        missing = [tool for tool in self._missing() if not hasattr(handlers, self._names[tool])]
        if missing:
            raise IncompleteServer(missing)
        for tool in self._missing():
            self._bind(tool, getattr(handlers, self._names[tool]))

    def _missing(self) -> list[str]:
        return [tool for tool in self._names if tool not in self._bound]

    def complete(self) -> None:
        """Say that every tool should have a handler by now.

        Raises:
            IncompleteServer: some have none.
        """
        if missing := self._missing():
            raise IncompleteServer(missing)

    def _with(self, options: Mapping[str, Any]) -> Self:
        """The same binding, whose next tools get these options of the SDK's."""
        other = copy.copy(self)
        other._options = {**self._options, **options}
        return other

    def _injected(self, handler: Callable[..., Any]) -> Iterable[str]:
        """The parameters of a handler that the SDK fills in."""
        raise NotImplementedError

    def _register(self, bound: Bound, options: Mapping[str, Any]) -> None:
        """Make the tool known to the server."""
        raise NotImplementedError

    def __contains__(self, tool: object) -> bool:
        return tool in self._bound


# --- on the wire -----------------------------------------------------------------------------------------------------
def declared(tool: str, version: str) -> dict[str, Any]:
    """A tool's definition, as it is advertised under a protocol version."""
    return advertised(tools()[tool], version)


def listed(tool: dict[str, Any], version: str) -> dict[str, Any]:
    """The definition of a tool that is not of this package, without an outputSchema that the version cannot carry.

    One tool's schema must not keep the others from being listed.
    """
    schema: dict[str, Any] | None = tool.get("outputSchema")
    if schema is None or version >= "2026-07-28" or schema.get("type") == "object":
        return tool
    logger.warning(
        "The outputSchema of %r is no object's, so %s gets none", tool.get("name"), version
    )
    return {key: item for key, item in tool.items() if key != "outputSchema"}


def wire(result: CallToolResult, version: str) -> dict[str, Any]:
    """A result as the protocol version has it: keys as on the wire, null told from absence."""
    own = result.__dict__
    out: dict[str, Any] = {"content": [block_to_wire(block) for block in own["content"]]}
    value, meta = own[_STRUCTURED], own[_META]
    if version >= "2025-06-18" and (value is not None or Answer.of(result).has_structured):
        natural = version >= "2026-07-28" or isinstance(value, dict)
        out["structuredContent"] = value if natural else {"result": value}
    out["isError"] = own[_IS_ERROR] is True  # false, too, as the SDKs have it
    if meta is not None:
        out["_meta"] = Answer.of(result).meta
    if version >= "2026-07-28":
        out["resultType"] = "complete"
    return out


_NAMES = attributes_of(CallToolResult)
_STRUCTURED, _IS_ERROR, _META = _NAMES["structuredContent"], _NAMES["isError"], _NAMES["_meta"]
