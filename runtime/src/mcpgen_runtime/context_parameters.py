"""Find the parameter of a handler that takes one of the SDK's contexts."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any


def find_parameter(handler: Callable[..., Any], context: type) -> str | None:
    """Return the parameter that is annotated with a class, a subclass, or a union with one.

    Args:
        handler: a function, a method or an object that can be called.
        context: the class.
    """
    function: Any = handler
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        return None
    names = (name for name in hints if name != "return")
    return next((name for name in names if _mentions(hints[name], context)), None)


def _mentions(hint: Any, context: type) -> bool:
    return any(inspect.isclass(part) and issubclass(part, context) for part in _list_parts(hint))


def _list_parts(hint: Any) -> Iterator[Any]:
    """Yield the classes of a type: those of a union's members, the origin of a generic."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType, typing.Annotated):
        for part in typing.get_args(hint):
            yield from _list_parts(part)
    else:
        yield hint if origin is None else origin


__all__ = ["find_parameter"]
