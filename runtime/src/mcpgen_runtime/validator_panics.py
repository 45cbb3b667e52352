"""Turn panics of `jsonschema-rs`, bugs that Python sees as a `BaseException`, into ordinary errors."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class CheckFailed(ValueError):
    """The validator failed, so it is unknown whether a value satisfies its schema."""

    def __init__(self, message: str = "could not be checked, since the validator failed") -> None:
        super().__init__(message)


def is_panic(error: BaseException) -> bool:
    """Return whether an exception is a panic; its class cannot be imported."""
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")


@contextmanager
def contained() -> Generator[None]:
    """Convert a panic within the block to an ordinary error.

    Raises:
        CheckFailed: a panic occurred.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CheckFailed from error


__all__ = ["CheckFailed", "contained", "is_panic"]
