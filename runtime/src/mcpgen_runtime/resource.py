"""A resource of a package: its module declares it, clients read it, servers bind a handler to it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from .protocol import ReadResourceResult
from .resource_result import ResourceResult

if TYPE_CHECKING:
    from typing import Self

ParametersT = ParamSpec("ParametersT")
"""The parameters of a read: the variables of the URI template."""
DecoratorT = TypeVar("DecoratorT")
ResourceT = TypeVar("ResourceT", bound=ResourceResult)
ResourceT_co = TypeVar("ResourceT_co", bound=ResourceResult, covariant=True)


class RawRead(Generic[ResourceT_co]):
    """The result of a read as the server sent it."""

    def __init__(self, result: ReadResourceResult, parse: Callable[[], ResourceT_co]) -> None:
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


class McpResource(Generic[ParametersT, ResourceT, DecoratorT]):
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
        ) -> Callable[ParametersT, Coroutine[Any, Any, RawRead[ResourceT]]]: ...
        @overload
        def __get__(
            self, instance: ResourceReader, owner: type, /
        ) -> Callable[ParametersT, Coroutine[Any, Any, ResourceT]]: ...
        def __get__(self, instance: object, owner: type, /) -> Any: ...


__all__ = ["McpResource", "RawRead", "RawResourceReader", "ResourceBinder", "ResourceReader"]
