"""JSON values in Python: exact numbers, fast JSON text, what is plain JSON, iterators that are read once."""

from __future__ import annotations

import json
import marshal
import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from numbers import Integral, Rational, Real
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import orjson

from .errors import NoJsonForm, Problem

_MAX_DIGITS = 4300  # Python neither reads nor writes longer integers (`sys.get_int_max_str_digits`)
_MAX_BITS = (10**_MAX_DIGITS).bit_length() - 1
_TOO_LONG = f"an integer of more than {_MAX_DIGITS:,} digits can be neither written nor read"


def check_integer(value: int) -> int:
    """Return an integer, or raise NoJsonForm: Python can neither read nor write so many digits."""
    if value.bit_length() > _MAX_BITS and abs(value) >= 10**_MAX_DIGITS:
        raise NoJsonForm(_TOO_LONG)
    return value


def check_finite(value: float) -> float:
    """Return a float, or raise NoJsonForm: it is NaN or an infinity."""
    if not math.isfinite(value):
        raise NoJsonForm(f"JSON has no {value!r}")
    return value


def check_written(text: bytes, value: object) -> bytes:
    """Return the JSON text of a value, which pydantic wrote, or raise NoJsonForm: it has too long an integer."""
    step = _MAX_DIGITS // 2  # an integer that is too long fills such a piece
    if len(text) > _MAX_DIGITS and any(text[start : start + step].isdigit() for start in range(0, len(text), step)):
        try:
            json.loads(text)
        except ValueError:
            _check_parts(value)
            raise NoJsonForm(_TOO_LONG) from None
    return text


def _check_parts(value: object) -> None:
    """Check the integers in a JSON value, to find the place of one that is too long."""
    if type(value) is int:
        check_integer(value)
    inner = cast(Any, value)
    parts: Any = inner.items() if isinstance(value, dict) else enumerate(inner) if isinstance(value, list) else ()
    for token, part in parts:
        try:
            _check_parts(part)
        except NoJsonForm as error:
            error.inside(token)
            raise


def write_number(value: object) -> int | float | str:
    """Return the JSON number that equals one of any class, or a decimal's text, or raise NoJsonForm: none does."""
    if isinstance(value, Decimal):
        return write_decimal(value)
    if isinstance(value, Integral):
        return check_integer(int(value))
    if isinstance(value, Real) and not isinstance(value, Rational):
        near = check_finite(float(value))
        if near == value:
            return near
    raise NoJsonForm(f"no number of JSON equals this {type(value).__name__}")


def write_decimal(value: Decimal) -> int | float | str:
    """Return an integer, the float that reads back as the same decimal, or the text; NoJsonForm if not finite."""
    if not value.is_finite():
        raise NoJsonForm(f"JSON has no {value}")
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else str(value)


def write_json_string(text: bytes) -> bytes:
    """Write text in UTF-8 as a JSON string."""
    return orjson.dumps(text.decode())


def is_plain(value: object) -> bool:
    """Return whether a value is only Python's own data, as sets and bytes also are, with no object of another class."""
    try:
        marshal.dumps(cast(Any, value))  # accepts exactly these values, much faster than the check
    except ValueError:
        return False
    return True


def odd_part(value: object, allows: Callable[[Any], bool] | None = None) -> Problem | None:
    """Return the problem of a part whose class is neither JSON's nor `allows`, or None. Visit each container once."""
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
            for key, item in items:
                if cls is dict and type(key) is not str:
                    part, cls = key, cast(Any, type(key))
                    break
                todo.append(((link, key), item))
            else:
                continue
        if cls not in _SCALARS and (allows is None or not allows(cls)):
            description = f"a value of type {cls.__name__}"
            return Problem(build_path(link), "json_value", "should be a JSON value", description)
    return None


_SCALARS, _CONTAINERS = frozenset({str, int, float, bool, type(None)}), frozenset({dict, list, tuple})
Link: TypeAlias = "tuple[Link, Any] | None"
"""A member or index, with the link to its parent."""


def build_path(link: Link) -> tuple[str | int, ...]:
    """Return the members and indices that lead to a place."""
    path: list[str | int] = []
    while link is not None:
        link, token = link
        path.append(token if type(token) is int else str(token))
    return tuple(reversed(path))


P = ParamSpec("P")
T = TypeVar("T")


class IteratorFailed(Exception):
    """Carries the `error` that a handler's iterator raised past the code that catches errors of a conversion."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def read_items(items: Iterable[T]) -> Iterator[T]:
    """Yield each item before the next is asked for, since a generator may change it, or raise IteratorFailed."""
    try:
        yield from items
    except Exception as error:
        raise IteratorFailed(error) from error


def call_converter(convert: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Convert a handler's value; what its iterators raise is raised unchanged."""
    try:
        return convert(*args, **options)
    except IteratorFailed as failed:
        error = failed.error
    raise error  # here, so that it gets no other context
