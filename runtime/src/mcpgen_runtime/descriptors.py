"""Tools, resources and prompts of a package: modules declare them, clients use them, servers bind handlers to them."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Never, ParamSpec, Protocol, Self, TypeAlias, TypeVar, overload

from pydantic import BaseModel

from .arguments import Parameter as Parameter
from .arguments import RootArguments as RootArguments
from .content import Payload as Payload
from .core_schemas import ABSENT as ABSENT
from .core_schemas import ReadOnce as ReadOnce
from .errors import MissingValue as MissingValue
from .errors import ResultError as ResultError
from .errors import TaskFailedError as TaskFailedError
from .errors import ToolCallError as ToolCallError
from .errors import ToolChangedError as ToolChangedError
from .errors import UnsupportedProtocol as UnsupportedProtocol
from .json_types import Base64 as Base64
from .json_types import Date as Date
from .json_types import DateTime as DateTime
from .json_types import JsonValue as JsonValue
from .json_types import NativeIpv4 as NativeIpv4
from .json_types import NativeIpv6 as NativeIpv6
from .json_types import Time as Time
from .json_types import Uuid as Uuid
from .models import ClosedObject as ClosedObject
from .models import Copied
from .models import JsonObject as JsonObject
from .models import OpenObject as OpenObject
from .models import RenamedOpenObject as RenamedOpenObject
from .models import SparseClosedObject as SparseClosedObject
from .models import SparseOpenObject as SparseOpenObject
from .models import to_json_value as to_json_value
from .prompts import PromptArgument as PromptArgument
from .prompts import PromptInfo as PromptInfo
from .prompts import PromptOf, PromptResultT
from .prompts import present_arguments as present_arguments
from .resources import ResourceInfo as ResourceInfo
from .resources import ResourceResultOf
from .tool_result import ToolResultOf
from .wire_forms import CheckedErrorData as CheckedErrorData
from .wire_forms import RootErrorData as RootErrorData
from .wire_forms import ToolErrorData as ToolErrorData

if TYPE_CHECKING:
    from .tasks import ToolTask  # noqa: F401 (a base class names it)

ParametersT = ParamSpec("ParametersT")
"""The parameters of a call: those of the constructor of the tool's arguments."""
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)
ArgumentsT_contra = TypeVar("ArgumentsT_contra", contravariant=True)
ContextT_contra = TypeVar("ContextT_contra", contravariant=True)
ValueT_contra = TypeVar("ValueT_contra", contravariant=True)
ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)
ArgumentsT_co = TypeVar("ArgumentsT_co", covariant=True)
DecoratorT = TypeVar("DecoratorT")
ResultT = TypeVar("ResultT", bound=ToolResultOf[Any, Any])
ResultT_co = TypeVar("ResultT_co", covariant=True)
ResourceT = TypeVar("ResourceT", bound=ResourceResultOf[Any, Any])
SentT = TypeVar("SentT")
SentT_co = TypeVar("SentT_co", covariant=True)
RawT = TypeVar("RawT")
TaskT = TypeVar("TaskT")
ExampleT = TypeVar("ExampleT")
MaybeAwaitable: TypeAlias = AnswerT | Awaitable[AnswerT]
"""What a handler returns: an answer or, from an `async` function, an awaitable of one."""


class _TakesOne(Protocol[ArgumentsT_contra, AnswerT_co]):
    def __call__(self, arguments: ArgumentsT_contra, /) -> AnswerT_co: ...


class _TakesOneWithContext(Protocol[ArgumentsT_contra, ContextT_contra, AnswerT_co]):
    def __call__(self, arguments: ArgumentsT_contra, /, *, ctx: ContextT_contra) -> AnswerT_co: ...


TakesArguments: TypeAlias = _TakesOne[ArgumentsT_contra, AnswerT_co] | _TakesOne[dict[str, Any], AnswerT_co]
"""A handler that takes the arguments of its tool as one object, or as JSON."""
TakesArgumentsWithContext: TypeAlias = (
    _TakesOneWithContext[ArgumentsT_contra, ContextT_contra, AnswerT_co]
    | _TakesOneWithContext[dict[str, Any], ContextT_contra, AnswerT_co]
)
"""The same with the SDK's Context."""


class NormalizeTo(Protocol[ValueT_contra, AnswerT_co]):
    """Type of a result class's `normalize`, by the values that a handler may return and the SDK's CallToolResult."""

    def __call__(self, value: ValueT_contra, protocol: str | None = None) -> AnswerT_co:
        """Convert a handler's value to a CallToolResult."""
        ...


class HandlerDecorator(Generic[ParametersT]):
    """Type of a tool on a server, for type checkers: a decorator of functions with the parameters of `handler`."""

    def __init__(self, handler: Callable[[], Callable[ParametersT, object]]) -> None:
        raise NotImplementedError


def complete_classes(module: str) -> None:
    """Let pydantic complete the generated classes of a module that refer to later ones, the inner ones first."""
    for cls in reversed([*vars(sys.modules[module]).values()]):
        if isinstance(cls, type) and issubclass(cls, Copied) and not cls.__pydantic_complete__:
            cls.model_rebuild()


class RawResult(Generic[ResultT_co, SentT_co]):
    """A result as the server sent it."""

    def __init__(self, result: SentT_co, parse: Callable[[], ResultT_co]) -> None:
        self.result = result
        """The result, unchecked."""
        self._parse = parse

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.result!r})"

    def parse(self) -> ResultT_co:
        """Return or raise the same as the call without `with_raw_response`."""
        return self._parse()


class RawRead(RawResult[ResultT_co, SentT_co]):
    """The result of a read as the server sent it."""


class ToolExample(Generic[ArgumentsT_co, ResultT_co]):
    """A valid example of a tool. A part is read when it is first used, which raises LookupError if there is none."""

    def __init__(self, arguments: Callable[[], ArgumentsT_co], result: Callable[[], ResultT_co]) -> None:
        self._read_arguments, self._read_result = arguments, result

    @cached_property
    def arguments(self) -> ArgumentsT_co:
        """Arguments of a call."""
        return self._read_arguments()

    @cached_property
    def result(self) -> ResultT_co:
        """A result."""
        return self._read_result()


class Binder:
    """Base of what binds handlers, whose attributes are decorators."""


class Caller:
    """Base of clients, whose attributes send requests."""


class RawCaller:
    """Base of clients whose attributes return the result as the server sent it."""


RawToolCaller: TypeAlias = RawCaller
RawResourceReader: TypeAlias = RawCaller


class TaskCaller:
    """Base of clients whose attributes return the call as a task."""


class ExampleReader:
    """Base of objects with an example of each tool."""


class _Entry(Generic[ParametersT, AnswerT, DecoratorT, RawT, TaskT, ExampleT]):
    if TYPE_CHECKING:  # the type of its attributes

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: Binder, owner: type, /) -> DecoratorT: ...
        @overload
        def __get__(self, instance: RawCaller, owner: type, /) -> Callable[ParametersT, Coroutine[Any, Any, RawT]]: ...
        @overload
        def __get__(
            self, instance: TaskCaller, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, TaskT]]: ...
        @overload
        def __get__(self, instance: ExampleReader, owner: type, /) -> ExampleT: ...
        @overload
        def __get__(self, instance: Caller, owner: type, /) -> Callable[ParametersT, Coroutine[Any, Any, AnswerT]]: ...
        def __get__(self, instance: object, owner: type, /) -> Any: ...


class McpToolOf(
    _Entry[
        ParametersT,
        ResultT,
        DecoratorT,
        RawResult[ResultT, SentT],
        "ToolTask[ResultT]",
        ToolExample[ArgumentsT, ResultT],
    ],
    Generic[ParametersT, ArgumentsT, ResultT, DecoratorT, SentT],
):
    """A tool of the package: the classes of its arguments and its result, and its decorator, which is never called."""

    def __init__(
        self, arguments: Callable[ParametersT, ArgumentsT], result: type[ResultT], decorator: Callable[[], DecoratorT]
    ) -> None:
        self.arguments: Any = arguments
        self.result = result
        complete_classes(result.__module__)

    @property
    def name(self) -> str:
        """The tool's exact name."""
        return self.result._tool.name  # pyright: ignore[reportPrivateUsage]


class McpResourceOf(
    _Entry[ParametersT, ResourceT, DecoratorT, RawRead[ResourceT, SentT], Never, Never],
    Generic[ParametersT, ResourceT, DecoratorT, SentT],
):
    """A resource of the package: what makes its URI, its class, and its decorator, which is never called."""

    def __init__(
        self, uri: Callable[ParametersT, str], resource: type[ResourceT], decorator: Callable[[], DecoratorT]
    ) -> None:
        self.uri: Any = uri
        self.resource = resource

    @property
    def name(self) -> str:
        """The resource's exact name."""
        return self.resource.resource.name


class McpPromptOf(
    _Entry[ParametersT, PromptResultT, DecoratorT, Never, Never, Never], Generic[ParametersT, DecoratorT, PromptResultT]
):
    """A prompt of the package: what makes its arguments, its class, and its decorator, which is never called."""

    def __init__(
        self,
        arguments: Callable[ParametersT, dict[str, str]],
        prompt: type[PromptOf[PromptResultT, Any]],
        decorator: Callable[[], DecoratorT],
    ) -> None:
        self.arguments: Any = arguments
        self.prompt = prompt

    @property
    def name(self) -> str:
        """The prompt's exact name."""
        return self.prompt.prompt.name
