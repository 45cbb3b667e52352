"""Read iterators of handlers: each item once, and what they raise stays an exception of the handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class IteratorFailed(Exception):
    """Carries what a handler's iterator raised past the code that catches errors of a conversion."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def read_items(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, one after the other: a generator may change an item after the next one is asked for.

    Raises:
        IteratorFailed: the iterator raised an exception.
    """
    try:
        iterator = iter(items)
        while True:
            try:
                item = next(iterator)
            except StopIteration:
                return
            yield item
    except Exception as error:
        raise IteratorFailed(error) from error


def call_converter(convert: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Convert a handler's value; what its iterators raise is raised unchanged."""
    try:
        return convert(*args, **options)
    except IteratorFailed as failed:
        error = failed.error
    raise error  # here, so that it gets no other context


__all__ = ["IteratorFailed", "call_converter", "read_items"]
