"""Shrinking of counterexamples."""

from __future__ import annotations

import json

from mcpgen.samples.shrink import MOST_SHRINK_ATTEMPTS, shrink_value
from mcpgen.schema.values import Json


def test_the_smallest_value() -> None:
    value: Json = {"a": [1, {"b": "long text", "c": 250.5}], "d": {"e": None}}
    assert shrink_value(value, lambda candidate: "250" in json.dumps(candidate)) == 250.5
    assert shrink_value(value, lambda candidate: isinstance(candidate, dict) and "d" in candidate) == {"d": None}
    assert shrink_value([3, 1, 2], lambda candidate: isinstance(candidate, list) and len(candidate) > 1) == [0, 0]


def test_numbers_and_strings_become_simpler() -> None:
    assert shrink_value(1000, lambda candidate: isinstance(candidate, int) and candidate >= 7) == 7
    assert shrink_value("abcdef", lambda candidate: "d" in str(candidate)) == "d"
    assert shrink_value(5.0, lambda candidate: candidate == 5) == 5


def test_attempts_are_limited() -> None:
    attempts: list[Json] = []

    def fails(candidate: Json) -> bool:
        attempts.append(candidate)
        return False

    shrink_value(list(range(MOST_SHRINK_ATTEMPTS + 10)), fails)
    assert len(attempts) == MOST_SHRINK_ATTEMPTS
