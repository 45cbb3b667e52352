"""Search for a value that disproves a claim about a class."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mcpgen.prove.properties import BrokenClaim, Claims
from mcpgen.samples.generator import ValueGenerator
from mcpgen.samples.shrink import shrink_value
from mcpgen.schema.values import Json

MUTATION_COUNTS = (0, 1, 0, 1, 0, 2)
"""Changes made to each drawn value in turn: half of the values follow the schema, half are near misses."""


@dataclass(frozen=True)
class Proof:
    """Result for one class."""

    class_name: str
    valid: int
    """Number of valid values that the class was tested with."""
    invalid: int
    """Number of invalid values that the class was tested with."""
    broken: BrokenClaim | None = None
    """The first claim that was disproved."""
    value: Json = None
    """The smallest counterexample found for `broken`."""


def falsify_claims(class_name: str, claims: Claims, schema: Json, dialect: str, examples: int, seed: int) -> Proof:
    """Test a class with drawn values, up to the first one that disproves a claim.

    Args:
        class_name: the name of the class.
        claims: what is claimed of it.
        schema: the schema to draw values from.
        dialect: the dialect of the schema.
        examples: the number of values to draw.
        seed: the same seed draws the same values.
    """
    generator = ValueGenerator(schema, dialect)
    valid = 0
    for index in range(examples):
        random = Random(f"{seed}/{index}")
        value = generator.draw_value(random)
        for _ in range(MUTATION_COUNTS[index % len(MUTATION_COUNTS)]):
            value = generator.mutate_value(value, random)
        valid += claims.is_valid(value)
        broken = _find_broken_claim(claims, value)
        if broken is not None:
            value, broken = _shrink_counterexample(claims, value, broken)
            return Proof(class_name, valid, index + 1 - valid, broken, value)
    return Proof(class_name, valid, examples - valid)


def _find_broken_claim(claims: Claims, value: Json) -> BrokenClaim | None:
    try:
        return claims.find_broken(value)
    except Exception as error:  # generated code must not raise anything else, so every exception disproves a claim
        return BrokenClaim("nothing but ValidationError is raised", f"{type(error).__name__}: {error}")


def _shrink_counterexample(claims: Claims, value: Json, broken: BrokenClaim) -> tuple[Json, BrokenClaim]:
    """Return the smallest value that disproves the same claim, and what was observed with it."""

    def disproves_same_claim(candidate: Json) -> bool:
        other = _find_broken_claim(claims, candidate)
        return other is not None and other.claim == broken.claim

    smallest = shrink_value(value, disproves_same_claim)
    return smallest, _find_broken_claim(claims, smallest) or broken
