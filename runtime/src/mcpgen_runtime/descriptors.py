"""Tools, resources and prompts of a package: modules declare them, clients use them, servers bind handlers to them."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from pydantic import BaseModel

from .models import Copied
from .prompts import PromptOf, PromptResultT
from .resources import ResourceResultOf
from .tool_result import ToolResultOf

if TYPE_CHECKING:
    from typing import Self


ParametersT = ParamSpec("ParametersT")
"""The parameters of a call: those of the constructor of the tool's arguments."""
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)
ArgumentsT_contra = TypeVar("ArgumentsT_contra", contravariant=True)
ContextT_contra = TypeVar("ContextT_contra", contravariant=True)
ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)
DecoratorT = TypeVar("DecoratorT")
ResultT = TypeVar("ResultT", bound=ToolResultOf[Any, Any])
ArgumentsT_co = TypeVar("ArgumentsT_co", bound=BaseModel, covariant=True)
ResultT_co = TypeVar("ResultT_co", bound=ToolResultOf[Any, Any], covariant=True)
CallResultT = TypeVar("CallResultT")
CallResultT_co = TypeVar("CallResultT_co", covariant=True)
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


class HandlerDecorator(Generic[ParametersT]):
    """Type of a tool on a server, for type checkers: a decorator of functions with the parameters of `handler`."""

    def __init__(self, handler: Callable[[], Callable[ParametersT, object]]) -> None:
        raise NotImplementedError


def complete_classes(module: str) -> None:
    """Let pydantic complete the generated classes of a module that refer to later ones, the inner ones first."""
    for cls in reversed([*vars(sys.modules[module]).values()]):
        if isinstance(cls, type) and issubclass(cls, Copied) and not cls.__pydantic_complete__:
            cls.model_rebuild()


class RawResult(Generic[ResultT_co, CallResultT_co]):
    """A result as the server sent it."""

    def __init__(self, result: CallResultT_co, parse: Callable[[], ResultT_co]) -> None:
        self.result = result
        """The result, unchecked."""
        self._parse = parse

    def __repr__(self) -> str:
        return f"RawResult({self.result!r})"

    def parse(self) -> ResultT_co:
        """Return or raise the same as the call without `with_raw_response`."""
        return self._parse()


class ToolExample(Generic[ArgumentsT_co, ResultT_co]):
    """A valid example of a tool; each part is read when it is first used."""

    def __init__(self, arguments: Callable[[], ArgumentsT_co], result: Callable[[], ResultT_co]) -> None:
        self._read_arguments, self._read_result = arguments, result

    @cached_property
    def arguments(self) -> ArgumentsT_co:
        """Arguments of a call.

        Raises:
            LookupError: there is no example of them.
        """
        return self._read_arguments()

    @cached_property
    def result(self) -> ResultT_co:
        """A result.

        Raises:
            LookupError: there is no example of it.
        """
        return self._read_result()


class ExampleReader:
    """Base of objects with an example of each tool."""


class ToolCaller:
    """Base of clients, whose attributes call tools."""


class RawToolCaller:
    """Base of clients whose calls return the result as the server sent it."""


class ToolBinder:
    """Base of what binds handlers, whose attributes are decorators."""


class McpToolOf(Generic[ParametersT, ArgumentsT, ResultT, DecoratorT, CallResultT]):
    """A tool of the package.

    Args:
        arguments: the class of its arguments.
        result: the class of its result.
        decorator: the type of the attribute that binds a handler; never called.
    """

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

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: ToolBinder, owner: type, /) -> DecoratorT: ...
        @overload
        def __get__(
            self, instance: RawToolCaller, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, RawResult[ResultT, CallResultT]]]: ...
        @overload
        def __get__(self, instance: ExampleReader, owner: type, /) -> ToolExample[ArgumentsT, ResultT]: ...
        @overload
        def __get__(
            self, instance: ToolCaller, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, ResultT]]: ...
        def __get__(self, instance: object, owner: type, /) -> Any: ...


ResourceT = TypeVar("ResourceT", bound=ResourceResultOf[Any, Any])
ResourceT_co = TypeVar("ResourceT_co", bound=ResourceResultOf[Any, Any], covariant=True)
ReadResultT = TypeVar("ReadResultT")
ReadResultT_co = TypeVar("ReadResultT_co", covariant=True)


class RawRead(Generic[ResourceT_co, ReadResultT_co]):
    """The result of a read as the server sent it."""

    def __init__(self, result: ReadResultT_co, parse: Callable[[], ResourceT_co]) -> None:
        self.result = result
        """The result, unchecked."""
        self._parse = parse

    def __repr__(self) -> str:
        return f"RawRead({self.result!r})"

    def parse(self) -> ResourceT_co:
        """Return or raise the same as the read without `with_raw_response`."""
        return self._parse()


class ResourceReader:
    """Base of objects whose attributes read resources."""


class RawResourceReader:
    """Base of readers that return the result as the server sent it."""


class ResourceBinder:
    """Base of what binds handlers, whose attributes are decorators."""


class McpResourceOf(Generic[ParametersT, ResourceT, DecoratorT, ReadResultT]):
    """A resource of the package.

    Args:
        uri: makes its URI.
        resource: its class.
        decorator: the type of the attribute that binds a handler; never called.
    """

    def __init__(
        self, uri: Callable[ParametersT, str], resource: type[ResourceT], decorator: Callable[[], DecoratorT]
    ) -> None:
        self.uri: Any = uri
        self.resource = resource

    @property
    def name(self) -> str:
        """The resource's exact name."""
        return self.resource.resource.name

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: ResourceBinder, owner: type, /) -> DecoratorT: ...
        @overload
        def __get__(
            self, instance: RawResourceReader, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, RawRead[ResourceT, ReadResultT]]]: ...
        @overload
        def __get__(
            self, instance: ResourceReader, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, ResourceT]]: ...
        def __get__(self, instance: object, owner: type, /) -> Any: ...


class PromptReader:
    """Base of objects whose attributes get prompts."""


class PromptBinder:
    """Base of objects whose attributes are decorators that bind handlers."""


class McpPromptOf(Generic[ParametersT, DecoratorT, PromptResultT]):
    """A prompt of the package.

    Args:
        arguments: makes the arguments of a request.
        prompt: its class.
        decorator: the type of the attribute that binds a handler; never called.
    """

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

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: PromptBinder, owner: type, /) -> DecoratorT: ...
        @overload
        def __get__(
            self, instance: PromptReader, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, PromptResultT]]: ...
        def __get__(self, instance: object, owner: type, /) -> Any: ...
