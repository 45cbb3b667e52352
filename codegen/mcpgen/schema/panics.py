"""Panics of `jsonschema-rs`: bugs of its that Python sees as a `BaseException`, which no handler of errors catches."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class Panicked(ValueError):
    """The validator failed, so it is not known whether a schema is read or a value is valid."""


@contextmanager
def contained() -> Generator[None]:
    """Let a panic within the block be an error like others.

    Raises:
        Panicked: there was one.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise Panicked("the validator failed here, which is a bug of jsonschema-rs") from error


def is_panic(error: BaseException) -> bool:
    """Whether an exception is a panic; its class cannot be imported."""
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")
