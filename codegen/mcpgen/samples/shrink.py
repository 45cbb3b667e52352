"""Make a counterexample smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcpgen.schema.values import Json

MOST_SHRINK_ATTEMPTS = 2_000
"""Attempts at a smaller value."""


def shrink_value(value: Json, fails: Callable[[Json], bool]) -> Json:
    """A value that still fails, and of which no single part can be left out or made simpler."""
    left = MOST_SHRINK_ATTEMPTS
    again = True
    while again:
        again = False
        for simpler in _simplify_value(value):
            left -= 1
            if left < 0:
                return value
            if fails(simpler):
                value, again = simpler, True
                break
    return value


def _simplify_value(value: Json) -> Iterator[Json]:
    """Values with one part less, or with one part simpler, the boldest first."""
    match value:
        case dict():
            yield from value.values()
            for key in value:
                yield {other: inner for other, inner in value.items() if other != key}
            for key, inner in value.items():
                for simpler in _simplify_value(inner):
                    yield {**value, key: simpler}
        case list():
            yield from value
            for index in range(len(value)):
                yield value[:index] + value[index + 1 :]
            for index, inner in enumerate(value):
                for simpler in _simplify_value(inner):
                    yield [*value[:index], simpler, *value[index + 1 :]]
        case str() if value:
            yield ""
            yield value[: len(value) // 2]
            yield value[1:]
        case bool() | None | str():
            return
        case int() | float():
            if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
                yield int(value)
            for simpler in (0, 1, int(value / 2) if abs(value) < 2**53 else 2**53):
                if abs(simpler) < abs(value):
                    yield simpler
