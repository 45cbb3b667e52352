"""How servers of an SDK answer requests for resources and prompts: what each SDK tells the shared code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from .package import Package

INTERNAL_ERROR = -32603
INVALID_PARAMS = -32602
"""Codes of errors in JSON-RPC."""

ServerT = TypeVar("ServerT")
LowLevelT = TypeVar("LowLevelT")
PathRules: TypeAlias = Callable[[Mapping[str, str]], object]
"""Returns the variable of a URI that a server's rules refuse; None if they refuse none."""


class Request(NamedTuple):
    """A request that a server answers."""

    params: Any
    """Its parameters, an object of the SDK."""
    version: str
    """The protocol version of its session."""
    context: Any = None
    """The SDK's context of the request, if the SDK passes it to handlers of requests."""


Answer: TypeAlias = Callable[[Request], Awaitable[dict[str, Any] | None]]
"""Returns a result in wire form; None: the server's own handler should answer."""


Extend: TypeAlias = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
"""Adds bound definitions to those of a list, all in wire form."""


class HandlerSeam(ABC, Generic[ServerT, LowLevelT]):
    """Calls the handlers of resources and prompts as an SDK calls its own, and answers requests with them.

    Args:
        get_lowlevel_server: returns the server that answers the requests; it raises `TypeError` if the object is not a
            server of the SDK.
        find_parameters: returns the parameters of a handler that the SDK fills in.
        call_handler: calls a handler with its arguments and what the SDK fills in.
        own_errors: exceptions of the SDK, besides `protocol_error`, whose text the client should see.
    """

    protocol_error: ClassVar[type[Exception]]
    """The SDK's exception for an error that the client should see."""
    unknown_resource: ClassVar[int]
    """The code of the error for the URI of an unknown resource."""

    def __init__(
        self,
        get_lowlevel_server: Callable[[ServerT], LowLevelT],
        find_parameters: Callable[[Callable[..., Any]], Iterable[str]],
        call_handler: Callable[[ServerT, Callable[..., Any], dict[str, Any], Request], Awaitable[Any]],
        own_errors: tuple[type[Exception], ...],
    ) -> None:
        self.get_lowlevel_server, self.find_parameters = get_lowlevel_server, find_parameters
        self.call_handler, self._own_errors = call_handler, own_errors

    @abstractmethod
    def make_error(self, code: int, text: str, data: Any = None) -> Exception:
        """Make an error that the client should see."""

    def find_public_error(self, error: Exception) -> Exception | None:
        """Return the error for the client if a handler raised one of the SDK's own; None for others."""
        if isinstance(error, self.protocol_error):
            return error
        return self.make_error(INTERNAL_ERROR, str(error)) if isinstance(error, self._own_errors) else None

    def find_path_rules(self, server: ServerT) -> PathRules | None:
        """Return the server's own rules for variables of URIs; None: it has none, and the usual ones apply."""
        return None

    @abstractmethod
    def extend_list(self, server: LowLevelT, method: str, add: Extend) -> None:
        """Add definitions to the first page of a list.

        Args:
            server: the server that answers the requests.
            method: the request, such as `resources/list`.
            add: adds the bound definitions.
        """

    @abstractmethod
    def answer(
        self, server: LowLevelT, method: str, answer: Answer, fall_back: Callable[[Request], dict[str, Any]]
    ) -> None:
        """Answer a request.

        Args:
            server: the server that answers the requests.
            method: the request, such as `resources/read`.
            answer: answers it, or leaves it to the server's own handler.
            fall_back: returns the result if the server has no such handler, or raises the error for the client.
        """


class _Instructed(Protocol):
    instructions: str | None


def set_instructions(server: _Instructed, package: Package) -> None:
    """Give a server the instructions that the package declares, unless it already has some."""
    if server.instructions is None:
        server.instructions = package.instructions
