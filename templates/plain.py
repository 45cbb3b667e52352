"""Values of JSON's own Python types: only of these is what was checked also what is sent.

A `Decimal` is a number to the check and text to a serializer, and an `Enum` is one thing or the other. Validation makes
neither, but an instance can be changed afterwards.
"""

from __future__ import annotations

import marshal
from typing import Any, cast

from .violations import Problem


def is_plain(value: object) -> bool:
    """Return whether a value holds nothing but Python's own data: no object of another class or of a subclass.

    Sets and bytes are such data, too; the check refuses them.
    """
    try:
        marshal.dumps(value)  # takes exactly such values, in a fraction of the time that the check takes
    except ValueError:
        return False
    return True


def odd_part(value: object) -> Problem | None:
    """Return the problem of the first part that has no type of JSON's, or None."""
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while todo:
        path, part = todo.pop()
        kind = cast(Any, type(part))
        if kind is dict:
            todo.extend(((*path, str(key)), item) for key, item in part.items())
            part = next((key for key in part if type(key) is not str), None)
            kind = cast(Any, type(part))
        elif kind is list or kind is tuple:
            todo.extend(((*path, index), item) for index, item in enumerate(part))
            continue
        if kind not in _SCALARS:
            found = f"a value of type {kind.__name__}"
            return Problem(path, "json_value", "should be a JSON value", found)
    return None


_SCALARS = frozenset({str, int, float, bool, type(None)})

__all__ = ["is_plain", "odd_part"]
