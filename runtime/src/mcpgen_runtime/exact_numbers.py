"""Convert numbers of any class to those of JSON, exactly or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral, Rational, Real
from typing import Any, cast

from .json_errors import NoJsonForm

_MAX_DIGITS = 4300
"""Python neither reads nor writes longer integers (`sys.get_int_max_str_digits`)."""
_MAX_BITS = (10**_MAX_DIGITS).bit_length() - 1
_TOO_LONG = f"an integer of more than {_MAX_DIGITS:,} digits can be neither written nor read"


def check_integer(value: int) -> int:
    """Return an integer that Python can read and write as JSON.

    Raises:
        NoJsonForm: it has too many digits.
    """
    if value.bit_length() > _MAX_BITS and abs(value) >= 10**_MAX_DIGITS:
        raise NoJsonForm(_TOO_LONG)
    return value


def check_written(text: bytes, value: object) -> bytes:
    """Return the JSON text of a value, which pydantic wrote, without such integers.

    Raises:
        NoJsonForm: it has one.
    """
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
    parts: Iterable[Any] = ()
    if isinstance(value, dict | list):
        listed = inner.items() if isinstance(value, dict) else enumerate(inner)
        parts = cast(Iterable[Any], listed)
    for token, part in parts:
        try:
            _check_parts(part)
        except NoJsonForm as error:
            error.inside(token)
            raise


def write_number(value: object) -> int | float | str:
    """Return the JSON number that equals one of any class, or the text of a decimal that equals none.

    Raises:
        NoJsonForm: there is none.
    """
    if isinstance(value, Decimal):
        return write_decimal(value)
    if isinstance(value, Integral):
        return check_integer(int(value))
    if isinstance(value, Real) and not isinstance(value, Rational):
        near = float(value)
        if not math.isfinite(near):
            raise NoJsonForm(f"JSON has no {near!r}")
        if near == value:
            return near
    raise NoJsonForm(f"no number of JSON equals this {type(value).__name__}")


def write_decimal(value: Decimal) -> int | float | str:
    """Return an integer, the float that reads back as the same decimal, or else the text.

    Raises:
        NoJsonForm: it is not finite.
    """
    if not value.is_finite():
        raise NoJsonForm(f"JSON has no {value}")
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else str(value)


__all__ = ["check_integer", "check_written", "write_decimal", "write_number"]
