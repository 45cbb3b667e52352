"""Types of handlers' return values."""

from __future__ import annotations

from typing import Protocol, TypeAlias, TypeVar

from .content_blocks import Payload
from .protocol import CallToolResult

T = TypeVar("T")
Value_contra = TypeVar("Value_contra", contravariant=True)
Returned: TypeAlias = T | tuple[Payload, T] | CallToolResult
"""What a handler may return for a value: the value, the value with its content blocks, or the whole result."""
ReturnedArray: TypeAlias = T | CallToolResult
"""The same for a value that may be an array, since a tuple may then be the array itself."""


class Normalize(Protocol[Value_contra]):
    """Type of a result class's `normalize`, by the values that a handler may return."""

    def __call__(self, value: Value_contra, protocol: str | None = None) -> CallToolResult: ...


__all__ = ["Normalize", "Returned", "ReturnedArray"]
