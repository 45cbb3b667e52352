"""A prompt of a package: its module declares it, clients get it, servers bind a handler to it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from .prompt_result import PromptOf, PromptResultT

if TYPE_CHECKING:
    from typing import Self

ParametersT = ParamSpec("ParametersT")
"""The parameters of a request: the arguments of the prompt."""
DecoratorT = TypeVar("DecoratorT")


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


__all__ = ["McpPromptOf", "PromptBinder", "PromptReader"]
