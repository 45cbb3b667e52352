"""Dataclasses as JSON and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import pytest
from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.schema.values import Json


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
ENCODED = ["Tree", "red", [["Leaf", "a", 1.5], ["Tree", "red", [], [], [0, False]]], ["x", "y"], [3, True]]


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
    with pytest.raises(TypeError, match="bytes"):
        encode_value(b"")


@dataclass(frozen=True)
class Place:
    value: Json
    names: dict[str, int]
    side: Literal["input", "output"] = "input"


def test_json_stays_as_it_is() -> None:
    place = Place({"a": [1, None, {"b": True}]}, {"x": 1}, "output")
    assert decode_value(Place, json.loads(json.dumps(encode_value(place)))) == place


@pytest.mark.parametrize(
    "malformed", [["Place", 1, [], "input"], ["Place", 1, {"x": "1"}, "input"], ["Place", 1, {}, ""]]
)
def test_dictionaries_and_literals_are_checked(malformed: Any) -> None:
    with pytest.raises(MalformedValue):
        decode_value(Place, malformed)
