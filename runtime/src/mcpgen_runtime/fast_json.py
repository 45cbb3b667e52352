"""Write JSON with orjson if it is installed: the same bytes as pydantic, several times faster."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pydantic_core import to_json

try:
    _orjson: Any = import_module("orjson")
except ImportError:  # it is optional
    _orjson = None
_OPTIONS = (
    0
    if _orjson is None
    else _orjson.OPT_PASSTHROUGH_DATACLASS | _orjson.OPT_PASSTHROUGH_DATETIME | _orjson.OPT_PASSTHROUGH_SUBCLASS
)
"""orjson calls a function for everything that does not have one of JSON's own types."""


def write_fast(value: object, convert: Callable[[Any], Any] | None = None) -> bytes | None:
    """Write a value as compact UTF-8; return None without orjson, or if orjson cannot write it.

    It refuses, for example, integers of more than 64 bits, values nested deeper than 254 levels, and lone surrogates.

    Args:
        value: JSON, and objects that `convert` accepts.
        convert: returns what to write instead of an object. If it raises an exception, the value cannot be written.
    """
    if _orjson is None:
        return None
    try:
        text: bytes = _orjson.dumps(value, convert, _OPTIONS)
    except TypeError as error:
        cause = error.__cause__
        if cause is not None and not isinstance(cause, Exception):  # a KeyboardInterrupt, for example
            raise cause from None
        return None
    return text


def write_json_string(text: bytes) -> bytes:
    """Write text in UTF-8 as a JSON string."""
    if _orjson is None:
        return to_json(text)
    quoted: bytes = _orjson.dumps(text.decode())
    return quoted


__all__ = ["write_fast", "write_json_string"]
