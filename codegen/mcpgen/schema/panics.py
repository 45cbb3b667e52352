"""Turn panics of `jsonschema-rs` into errors.

A panic is a bug of the library. Python sees it as a `BaseException`, which handlers of errors do not catch.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class Panicked(ValueError):
    """Failure of the validator, which leaves open whether a schema or a value is valid."""


@contextmanager
def contained() -> Generator[None]:
    """Raise a panic within the block as an error.

    Raises:
        Panicked: there was a panic.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise Panicked("the validator failed here, which is a bug of jsonschema-rs") from error


def is_panic(error: BaseException) -> bool:
    """Report whether an exception is a panic; the class of panics cannot be imported."""
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")
