"""Sessions of SDKs as typed clients use them, and the options of calls: the same for all generations of the SDK."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

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
