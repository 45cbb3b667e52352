"""The search for a value that disproves a claim: drawn from the schema, then made as small as it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from mcpgen.draw import Drawer
from mcpgen.json_types import Json
from mcpgen.prove.claims import Broken, Claims

BENDS = (0, 1, 0, 1, 0, 2)
"""How many small changes are made to one drawn value after the other: half are left to follow the schema."""
MOST = 2_000
"""Attempts at a smaller value."""


@dataclass(frozen=True)
class Proof:
    """What came of one class: how many valid and invalid values it was held against, and what disproved it."""

    class_name: str
    valid: int
    invalid: int
    broken: Broken | None = None
    value: Json = None
    """The smallest value found that disproves `broken`'s claim."""


def search(class_name: str, claims: Claims, schema: Json, dialect: str, examples: int, seed: int) -> Proof:
    """Hold a class against `examples` drawn values, or up to the first that disproves a claim.

    The same seed draws the same values.
    """
    drawer = Drawer(schema, dialect)
    valid = 0
    for index in range(examples):
        random = Random(f"{seed}/{index}")
        value = drawer.value(random)
        for _ in range(BENDS[index % len(BENDS)]):
            value = drawer.near(value, random)
        valid += claims.valid(value)
        broken = _broken(claims, value)
        if broken is not None:
            value, broken = _reduced(claims, value, broken)
            return Proof(class_name, valid, index + 1 - valid, broken, value)
    return Proof(class_name, valid, examples - valid)


def _broken(claims: Claims, value: Json) -> Broken | None:
    try:
        return claims.broken(value)
    except Exception as error:  # whatever generated code raises is a finding here
        return Broken("nothing but ValidationError is raised", f"{type(error).__name__}: {error}")


def _reduced(claims: Claims, value: Json, broken: Broken) -> tuple[Json, Broken]:
    """The smallest value that disproves the same claim, and what is seen with it."""

    def same_claim(one: Json) -> bool:
        found = _broken(claims, one)
        return found is not None and found.claim == broken.claim

    value = smallest(value, same_claim)
    return value, _broken(claims, value) or broken


def smallest(value: Json, fails: Callable[[Json], bool]) -> Json:
    """A value that still fails, and of which no single part can be left out or made simpler."""
    left = MOST
    again = True
    while again:
        again = False
        for simpler in _simpler(value):
            left -= 1
            if left < 0:
                return value
            if fails(simpler):
                value, again = simpler, True
                break
    return value


def _simpler(value: Json) -> Iterator[Json]:
    """Values with one part less, or with one part simpler, the boldest first."""
    match value:
        case dict():
            yield from value.values()
            for key in value:
                yield {other: inner for other, inner in value.items() if other != key}
            for key, inner in value.items():
                for simpler in _simpler(inner):
                    yield {**value, key: simpler}
        case list():
            yield from value
            for index in range(len(value)):
                yield value[:index] + value[index + 1 :]
            for index, inner in enumerate(value):
                for simpler in _simpler(inner):
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
