"""The search for a value that disproves a claim: drawn from the schema, then made as small as it gets."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mcpgen.prove.properties import Broken, Claims
from mcpgen.samples.generator import Drawer
from mcpgen.samples.shrink import smallest
from mcpgen.schema.values import Json

BENDS = (0, 1, 0, 1, 0, 2)
"""How many small changes are made to one drawn value after the other: half are left to follow the schema."""


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
        value = drawer.draw_value(random)
        for _ in range(BENDS[index % len(BENDS)]):
            value = drawer.mutate_value(value, random)
        valid += claims.valid(value)
        broken = _broken(claims, value)
        if broken is not None:
            value, broken = _reduced(claims, value, broken)
            return Proof(class_name, valid, index + 1 - valid, broken, value)
    return Proof(class_name, valid, examples - valid)


def _broken(claims: Claims, value: Json) -> Broken | None:
    try:
        return claims.find_broken(value)
    except Exception as error:  # whatever generated code raises is a finding here
        return Broken("nothing but ValidationError is raised", f"{type(error).__name__}: {error}")


def _reduced(claims: Claims, value: Json, broken: Broken) -> tuple[Json, Broken]:
    """The smallest value that disproves the same claim, and what is seen with it."""

    def same_claim(one: Json) -> bool:
        found = _broken(claims, one)
        return found is not None and found.claim == broken.claim

    value = smallest(value, same_claim)
    return value, _broken(claims, value) or broken
