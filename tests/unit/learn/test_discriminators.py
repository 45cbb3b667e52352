"""The property that tells the alternatives of a union apart."""

from __future__ import annotations

import time
from typing import Any

import pytest
from mcpgen.learn.discriminators import MAX_ALTERNATIVES, find_discriminator

CIRCLE = {"type": "circle", "radius": 1}
SQUARE = {"type": "square", "side": 2}


def find(objects: list[dict[str, Any]]) -> str | None:
    found = find_discriminator(objects)
    if found is None:
        return None
    name, alternatives = found
    assert sorted(map(id, objects)) == sorted(id(value) for values in alternatives.values() for value in values)
    assert all(value[name] == tag for tag, values in alternatives.items() for value in values)
    return name


def test_alternatives_are_told_apart() -> None:
    assert find([CIRCLE, SQUARE] * 3) == "type"
    assert find([CIRCLE, CIRCLE, CIRCLE, {**SQUARE, "type": "a.b-c_1"}, *[{**SQUARE, "type": "a.b-c_1"}] * 2]) == "type"


def test_other_names_will_do_and_usual_ones_come_first() -> None:
    shapes = [{"form": "round", "radius": 1}, {"form": "flat", "side": 2}]
    assert find(shapes * 3) == "form"
    assert find([{**value, "type": value["form"]} for value in shapes * 3]) == "type"


def test_a_property_that_an_alternative_has_at_times() -> None:
    """It may be missing from objects of one alternative, if it is at times in all others, too."""
    noted = [{**CIRCLE, "note": ""}, CIRCLE, CIRCLE]
    assert find([*noted, SQUARE, SQUARE, SQUARE]) is None
    assert find([*noted, {**SQUARE, "note": ""}, SQUARE, SQUARE]) == "type"


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [{}] * 6,
        [CIRCLE] * 6,
        [CIRCLE, CIRCLE, CIRCLE, SQUARE, SQUARE],
        [CIRCLE, SQUARE, {"radius": 1}] * 3,
        [{"type": kind, "n": 1} for kind in ("a", "b")] * 3,
        [{"type": 1, "a": 1}, {"type": 2, "b": 1}] * 3,
        [{"type": None, "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": "two words", "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": "x" * 41, "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": f"t{number}", f"p{number}": 1} for number in range(MAX_ALTERNATIVES + 1)] * 3,
    ],
)
def test_no_discriminator(objects: list[dict[str, Any]]) -> None:
    assert find(objects) is None


def test_most_alternatives() -> None:
    assert find([{"type": f"t{n}", f"p{n}": 1} for n in range(MAX_ALTERNATIVES)] * 3) == "type"


@pytest.mark.parametrize("optional", [1, 4_000])
def test_many_candidates(optional: int) -> None:
    """2,000 properties that each could be one take no longer than reading the objects some times."""
    objects: list[dict[str, Any]] = [
        {f"c{column}": "ab"[(row >> column % 7) % 2] for column in range(2_000)} | {f"o{row * 7 % optional}": 1}
        for row in range(200)
    ]
    objects[0].pop("o0")
    start = time.process_time()
    assert find(objects) is None
    assert time.process_time() - start < 5
