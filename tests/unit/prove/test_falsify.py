"""Search for counterexamples."""

from __future__ import annotations

from typing import Any

from mcpgen.prove.falsify import Proof, falsify_claims
from mcpgen.prove.properties import BrokenClaim
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

SCHEMA: Json = {"type": "integer", "minimum": 0, "maximum": 100}


class NumberClaims:
    """Claims that are disproved by integers from a bound on."""

    def __init__(self, bound: int, raises: bool = False) -> None:
        self._bound, self._raises = bound, raises
        self.tested: list[Json] = []

    def is_valid(self, value: Json) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 100

    def find_broken(self, value: Json) -> BrokenClaim | None:
        self.tested.append(value)
        if not self.is_valid(value) or not isinstance(value, int) or value < self._bound:
            return None
        if self._raises:
            raise RuntimeError(f"at {value}")
        return BrokenClaim("it is small", f"it is {value}")


def falsify(claims: Any, examples: int = 60, seed: int = 0) -> Proof:
    return falsify_claims("Number", claims, SCHEMA, DRAFT_2020_12, examples, seed)


def test_claims_that_hold_are_tested_with_valid_and_invalid_values() -> None:
    proof = falsify(NumberClaims(10**9))
    assert proof.broken is None
    assert proof.valid + proof.invalid == 60
    assert proof.valid > 20
    assert proof.invalid > 5


def test_a_counterexample_is_shrunk() -> None:
    proof = falsify(NumberClaims(7))
    assert isinstance(proof.value, int)
    assert 7 <= proof.value < 14
    assert proof.broken == BrokenClaim("it is small", f"it is {proof.value}")


def test_exceptions_disprove_a_claim() -> None:
    proof = falsify(NumberClaims(7, raises=True))
    assert proof.broken == BrokenClaim("nothing but ValidationError is raised", f"RuntimeError: at {proof.value}")


def test_a_seed_draws_the_same_values() -> None:
    tests = [NumberClaims(10**9) for _ in range(3)]
    for claims, seed in zip(tests, (0, 0, 1), strict=True):
        falsify(claims, seed=seed)
    assert tests[0].tested == tests[1].tested != tests[2].tested
