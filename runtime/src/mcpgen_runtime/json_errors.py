"""Errors about values that have no JSON form, and the place of the problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .json_pointers import format_pointer
from .violations import shorten_path

T = TypeVar("T")


class NoJsonForm(ValueError):
    """Raised for values that JSON cannot represent: NaN, infinities, lone surrogates, cycles, keys that become equal.

    `pointer` is the JSON pointer of the place, `reason` the problem; `subject` may name the owner of the value. The
    message shows a long pointer without its middle.
    """

    def __init__(self, reason: str, subject: str = "") -> None:
        super().__init__(reason)
        self.reason, self.subject = reason, subject
        self._path: list[str | int] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.subject), self.__dict__

    @property
    def path(self) -> list[str | int]:
        """Members and indices that lead to the place."""
        return self._path[::-1]

    @property
    def pointer(self) -> str:
        return format_pointer(self.path)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.subject, self.format_place(), self.reason) if part)

    def format_place(self, most: int = 1_000) -> str:
        """Return the JSON pointer of the place, shortened to about `most` bytes of UTF-8."""
        return format_pointer(shorten_path(self.path, most))

    def inside(self, token: str | int) -> None:
        """Record that the place is inside this member or index."""
        self._path.append(token)


class NoJsonType(NoJsonForm, TypeError):
    """Raised for an object that has neither data nor attributes."""

    @classmethod
    def of_class(cls, name: str) -> NoJsonType:
        """Make the error for an object of a class."""
        return cls(f"a value of type {name} has no JSON form")


def get_json_value(value: Any) -> Any:
    """Return the JSON value of a generated instance.

    Raises:
        NoJsonForm: it was changed after construction, and its class cannot write it.
    """
    return write_instance(value, value.to_structured_content)


BEYOND_STACK = "nested too deeply, beyond the limit of Python's stack"
"""Message for values that cannot even be visited."""


def write_instance(instance: object, write: Callable[[], T]) -> T:
    """Call a method of a generated instance that writes it.

    Raises:
        NoJsonForm: the method failed, since the instance was changed after construction.
    """
    try:
        return write()
    except NoJsonForm:
        raise
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None
    except Exception as error:  # a changed instance may cause any error
        name, why = type(instance).__name__, type(error).__name__
        raise NoJsonForm(f"the {name} cannot be written as it is now ({why})") from error
