"""The search for a value that disproves a claim: drawn from the schema, then made as small as it gets."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mcpgen.prove.properties import BrokenClaim, Claims
from mcpgen.samples.generator import ValueGenerator
from mcpgen.samples.shrink import shrink_value
from mcpgen.schema.values import Json

MUTATION_COUNTS = (0, 1, 0, 1, 0, 2)
"""How many small changes are made to one drawn value after the other: half are left to follow the schema."""


@dataclass(frozen=True)
class Proof:
    """What came of one class: how many valid and invalid values it was held against, and what disproved it."""

    class_name: str
    valid: int
    invalid: int
    broken: BrokenClaim | None = None
    value: Json = None
    """The smallest value found that disproves `broken`'s claim."""


def falsify_claims(class_name: str, claims: Claims, schema: Json, dialect: str, examples: int, seed: int) -> Proof:
    """Hold a class against `examples` drawn values, or up to the first that disproves a claim.

    The same seed draws the same values.
    """
    drawer = ValueGenerator(schema, dialect)
    valid = 0
    for index in range(examples):
        random = Random(f"{seed}/{index}")
        value = drawer.draw_value(random)
        for _ in range(MUTATION_COUNTS[index % len(MUTATION_COUNTS)]):
            value = drawer.mutate_value(value, random)
        valid += claims.valid(value)
        broken = _find_broken_claim(claims, value)
        if broken is not None:
            value, broken = _shrink_counterexample(claims, value, broken)
            return Proof(class_name, valid, index + 1 - valid, broken, value)
    return Proof(class_name, valid, examples - valid)


def _find_broken_claim(claims: Claims, value: Json) -> BrokenClaim | None:
    try:
        return claims.find_broken(value)
    except Exception as error:  # whatever generated code raises is a finding here
        return BrokenClaim("nothing but ValidationError is raised", f"{type(error).__name__}: {error}")


def _shrink_counterexample(claims: Claims, value: Json, broken: BrokenClaim) -> tuple[Json, BrokenClaim]:
    """The smallest value that disproves the same claim, and what is seen with it."""

    def same_claim(one: Json) -> bool:
        found = _find_broken_claim(claims, one)
        return found is not None and found.claim == broken.claim

    value = shrink_value(value, same_claim)
    return value, _find_broken_claim(claims, value) or broken
