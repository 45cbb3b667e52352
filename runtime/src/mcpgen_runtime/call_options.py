"""Options of a client's calls, and how a client notices that its server may have changed."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

OnProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Receives a call's progress: the progress so far, the total, and a message."""
_TOOLS_CHANGED = "notifications/tools/list_changed"


class ProgressCallback(Protocol):
    """The callback that SDKs call with progress."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


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


def make_unnamed_error(called: str, parameters: Iterable[str]) -> TypeError:
    """Return the error for arguments without names.

    Args:
        called: the name of what was called.
        parameters: the names of its parameters.
    """
    names = ", ".join(f"{name}=…" for name in parameters)
    takes = f"takes its arguments by name: {names}" if names else "takes no arguments"
    return TypeError(f"{called} {takes}")


class SessionWatch:
    """Notices when a connection gets a new session, and when the server announces that its tools have changed."""

    def __init__(self) -> None:
        self._session: object = None
        self._changed = False

    def watch(self, session: object) -> None:
        """Watch the connection's current session."""
        if session is self._session:
            return
        self._changed = self._session is not None
        self._session = session
        members = vars(session)
        handler: Callable[[Any], Awaitable[None]] | None = members.get("_message_handler")
        if handler is None:
            return

        async def notice(message: Any) -> None:
            if getattr(getattr(message, "root", message), "method", "") == _TOOLS_CHANGED:
                self._changed = True
            await handler(message)

        members["_message_handler"] = notice

    def take_change(self) -> bool:
        """Return whether something has changed since the last call of this method."""
        changed, self._changed = self._changed, False
        return changed


__all__ = ["CallOptions", "OnProgress", "SessionWatch", "make_unnamed_error"]
