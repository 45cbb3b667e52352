"""Recognize values of JSON's own Python types: only these are sent exactly as they were checked.

The check takes a `Decimal` for a number, but a serializer writes it as text; an `Enum` is similar. Validation creates
neither, but an instance can be changed afterwards.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from .violations import Problem


def is_plain(value: object) -> bool:
    """Return whether a value contains only Python's own data: no object of another class or a subclass.

    Sets and bytes also count as Python's own data; the check refuses them.
    """
    try:
        marshal.dumps(cast(Any, value))  # accepts exactly these values, much faster than the check
    except ValueError:
        return False
    return True


def odd_part(value: object, allows: Callable[[Any], bool] | None = None) -> Problem | None:
    """Return the problem of a part that has no JSON type, or None. Each array and object is visited once.

    Args:
        value: the value.
        allows: returns whether a part may have a class that is not JSON's.
    """
    todo: list[tuple[Link, Any]] = [(None, value)]
    visited: dict[int, object] = {}
    while todo:
        link, part = todo.pop()
        cls = cast(Any, type(part))
        if cls in _SCALARS:
            continue
        if cls in _CONTAINERS:
            if id(part) in visited:
                continue
            visited[id(part)] = part
            items: Iterable[tuple[Any, Any]] = part.items() if cls is dict else enumerate(cast(list[Any], part))
            todo.extend(((link, key), item) for key, item in items)
            part = next((key for key in part if type(key) is not str), "") if cls is dict else ""
            cls = cast(Any, type(part))
        if cls not in _SCALARS and (allows is None or not allows(cls)):
            description = f"a value of type {cls.__name__}"
            return Problem(build_path(link), "json_value", "should be a JSON value", description)
    return None


Link: TypeAlias = "tuple[Link, Any] | None"
"""A member or index, with the link to its parent."""


def build_path(link: Link) -> tuple[str | int, ...]:
    """Return the members and indices that lead to a place."""
    path: list[str | int] = []
    while link is not None:
        link, token = link
        path.append(token if type(token) is int else str(token))
    return tuple(reversed(path))


_SCALARS = frozenset({str, int, float, bool, type(None)})
_CONTAINERS = frozenset({dict, list, tuple})

__all__ = ["Link", "build_path", "is_plain", "odd_part"]
