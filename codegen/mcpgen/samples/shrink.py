"""Shrinking of counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcpgen.schema.values import Json, normalize_number

MOST_SHRINK_ATTEMPTS = 2_000
"""Attempts at a smaller value."""


def shrink_value(value: Json, fails: Callable[[Json], bool]) -> Json:
    """Return a value that still fails, but of which no single part can be left out or simplified.

    Args:
        value: a value that fails.
        fails: tells whether a value fails.

    Returns:
        The smallest value found in `MOST_SHRINK_ATTEMPTS` attempts.
    """
    attempts = 0
    improved = True
    while improved:
        improved = False
        for simpler in _simplify_value(value):
            attempts += 1
            if attempts > MOST_SHRINK_ATTEMPTS:
                return value
            if fails(simpler):
                value, improved = simpler, True
                break
    return value


def _simplify_value(value: Json) -> Iterator[Json]:
    """Yield values with one part removed or simplified, the greatest changes first."""
    match value:
        case dict():
            yield from value.values()
            for key in value:
                yield {name: member for name, member in value.items() if name != key}
            for key, member in value.items():
                for simpler in _simplify_value(member):
                    yield {**value, key: simpler}
        case list():
            yield from value
            for index in range(len(value)):
                yield value[:index] + value[index + 1 :]
            for index, item in enumerate(value):
                for simpler in _simplify_value(item):
                    yield [*value[:index], simpler, *value[index + 1 :]]
        case str() if value:
            yield ""
            yield value[: len(value) // 2]
            yield value[1:]
        case bool() | None | str():
            return
        case int() | float():
            if (whole := normalize_number(value)) is not value:
                yield whole
            for simpler in (0, 1, int(value / 2) if abs(value) < 2**53 else 2**53):
                if abs(simpler) < abs(value):
                    yield simpler
