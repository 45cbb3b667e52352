"""Options of a client's calls."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

OnProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Receives a call's progress: the progress so far, the total, and a message."""


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


__all__ = ["CallOptions", "OnProgress", "make_unnamed_error"]
