"""Maps and objects are told apart by their keys."""

from __future__ import annotations

import time
from typing import Any

import pytest
from mcpgen.learn.map_keys import is_map

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gil", "hal", "ida", "jon")


@pytest.mark.parametrize(
    "objects",
    [
        [{"1": 1, "2": 2}],
        [{"2026-01-01": 1}, {"2026-01-02": 1}],
        [{"00000000-0000-0000-0000-000000000000": {}}],
        [{"src/main.py": 3}, {}],
        [{"two words": 3, "a@example.com": 1}],
        [{"0123456789abcdef0123": 1}, {"deadbeefdeadbeef": 2}],
        [{name: {"age": 3, "town": "Ulm"} for name in NAMES}],
        [{name: number} for number, name in enumerate(NAMES)],
    ],
)
def test_maps(objects: list[dict[str, Any]]) -> None:
    assert is_map(objects)


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [{}],
        [{"a": 1}],
        [{"a": 1, "2": 2}],
        [{"deadbeef": 1}],
        [dict.fromkeys(NAMES, 1)],
        [{name: {"age": 3} for name in NAMES}],
        [{name: {"age": 3, name: 1} for name in NAMES}],
        [{name: {"age": 3, "town": "Ulm"} for name in NAMES[:7]}],
        [{name: {"age": 3, "town": "Ulm"}} for name in NAMES[:7]],
        [{name: number if number % 2 else "x"} for number, name in enumerate(NAMES)],
        [{name: 1, "total": 1} for name in NAMES],
        [{"": 1}],
        [{"__proto__": 1, "$ref": 2}],
    ],
)
def test_objects(objects: list[dict[str, Any]]) -> None:
    assert not is_map(objects)


def test_time_grows_with_the_number_of_keys_alone() -> None:
    objects: list[dict[str, Any]] = [{f"k{number}": "x"} for number in range(100_000)]
    start = time.process_time()
    assert is_map(objects)
    assert time.process_time() - start < 10, "some tenths of a second, where a loop in a loop takes hours"
