"""Panics of `jsonschema-rs`: bugs of its that Python sees as a `BaseException`, which no handler of errors catches."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class CheckFailed(ValueError):
    """The validator failed, so it is not known whether a value satisfies its schema."""

    def __init__(self, said: str = "could not be checked, since the validator failed") -> None:
        super().__init__(said)


def is_panic(error: BaseException) -> bool:
    """Return whether an exception is a panic; its class cannot be imported."""
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")


@contextmanager
def contained() -> Generator[None]:
    """Let a panic within the block be an error like others.

    Raises:
        CheckFailed: there was one.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CheckFailed from error


__all__ = ["CheckFailed", "contained", "is_panic"]
