"""Panics of the validator."""

from __future__ import annotations

import pytest
from mcpgen.schema.panics import Panicked, contained, is_panic

PanicException = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})


def test_a_panic_becomes_an_error() -> None:
    with pytest.raises(Panicked, match="jsonschema-rs"), contained():
        raise PanicException("index out of bounds")


def test_other_exceptions_stay() -> None:
    with pytest.raises(KeyboardInterrupt), contained():
        raise KeyboardInterrupt
    with contained():
        pass


def test_panics_are_recognized() -> None:
    assert is_panic(PanicException("a"))
    assert not is_panic(ValueError("a"))
