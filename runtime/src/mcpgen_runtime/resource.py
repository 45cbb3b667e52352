"""A resource of a package: its module declares it, clients read it, servers bind a handler to it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from .resource_result import ResourceResultOf

if TYPE_CHECKING:
    from typing import Self

ParametersT = ParamSpec("ParametersT")
"""The parameters of a read: the variables of the URI template."""
DecoratorT = TypeVar("DecoratorT")
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
        self,
        uri: Callable[ParametersT, str],
        resource: type[ResourceT],
        decorator: Callable[[], DecoratorT],
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


__all__ = ["McpResourceOf", "RawRead", "RawResourceReader", "ResourceBinder", "ResourceReader"]
