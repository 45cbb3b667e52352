"""Dataclasses as JSON and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from mcpgen.cache.codec import MalformedValue, decode_value, encode_value


class Color(Enum):
    RED = "red"


@dataclass(frozen=True)
class Leaf:
    name: str
    size: int | float | None = None


@dataclass(frozen=True)
class Tree:
    color: Color
    parts: tuple[Leaf | Tree, ...]
    tags: frozenset[str]
    pair: tuple[int, bool] = (0, False)


TREE = Tree(Color.RED, (Leaf("a", 1.5), Tree(Color.RED, (), frozenset())), frozenset({"y", "x"}), (3, True))
ENCODED = [
    "Tree",
    "red",
    [["Leaf", "a", 1.5], ["Tree", "red", [], [], [0, False]]],
    ["x", "y"],
    [3, True],
]


def test_a_dataclass_is_an_array_of_its_name_and_fields() -> None:
    assert encode_value(TREE) == ENCODED


def test_what_was_encoded_is_decoded() -> None:
    assert decode_value(Tree, json.loads(json.dumps(ENCODED))) == TREE


@pytest.mark.parametrize(
    "malformed",
    [
        None,
        ENCODED[:-1],
        [*ENCODED, 1],
        ["Leaf", *ENCODED[1:]],
        ["Tree", "blue", *ENCODED[2:]],
        ["Tree", "red", [["Root"]], *ENCODED[3:]],
        ["Tree", "red", [], ["x", 1], [3, True]],
        ["Tree", "red", [], [], [True, True]],
        ["Tree", "red", [], [], [3]],
        ["Tree", "red", {}, [], [3, True]],
        ["Tree", "red", [["Leaf", "a", True]], [], [3, True]],
    ],
)
def test_everything_else_is_refused(malformed: Any) -> None:
    with pytest.raises(MalformedValue):
        decode_value(Tree, malformed)


def test_other_objects_cannot_be_encoded() -> None:
    with pytest.raises(TypeError, match="dict"):
        encode_value({})
