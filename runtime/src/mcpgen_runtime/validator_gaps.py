"""What `jsonschema-rs` needs from outside: keywords that it lacks or asserts wrongly, and its panics as errors."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple


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


class _Annotation:
    """A keyword that accepts every value."""

    def __init__(self, schema: object, value: object, path: list[str | int]) -> None:
        pass

    def validate(self, instance: object) -> None:
        """Accept every value."""


class CustomKeyword(NamedTuple):
    """A keyword, and the dialects in which `jsonschema-rs` needs its implementation."""

    implementation: type[Any]
    """Called with a schema object, the keyword's value and its path; `validate` raises a ValueError."""
    in_2020_12: bool = True
    in_draft_07: bool = True
    expected: Callable[[Any], str] | None = None
    """Describes for messages what the keyword's value requires; None if the keyword accepts everything."""


CUSTOM_KEYWORDS: dict[str, CustomKeyword] = {
    "contentEncoding": CustomKeyword(_Annotation, in_2020_12=False),
    "contentMediaType": CustomKeyword(_Annotation, in_2020_12=False),
}
"""The keywords; mcpgen checks values with this table, too."""


def select_custom_keywords(draft_07: bool) -> dict[str, Any]:
    """Return the implementations for one dialect, as the option `keywords` of `jsonschema-rs` takes them."""
    return {
        name: keyword.implementation
        for name, keyword in CUSTOM_KEYWORDS.items()
        if (keyword.in_draft_07 if draft_07 else keyword.in_2020_12)
    }
