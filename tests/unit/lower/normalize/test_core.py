"""Data of the core language: references, unions, duplicates."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.core import (
    Core,
    list_direct_references,
    make_identity_key,
    make_reference,
    make_union,
    remove_duplicates,
)
from mcpgen.schema.values import Json


def test_references_are_direct_outside_of_arrays_and_objects() -> None:
    a, b = make_reference("A"), make_reference("B")
    assert list_direct_references(a) == ["A"]
    assert list_direct_references({"anyOf": [a, {"anyOf": [b]}, {"type": "array", "items": make_reference("C")}]}) == [
        "A",
        "B",
    ]


def test_a_union_of_one_type_is_that_type() -> None:
    text: Core = {"type": "string"}
    assert make_union([text]) == text
    assert make_union([text, {"type": "null"}]) == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_duplicates_are_found_whatever_the_order_of_keywords() -> None:
    first: Core = {"type": "string", "minLength": 1}
    assert remove_duplicates([first, {"minLength": 1, "type": "string"}, {"type": "null"}]) == [first, {"type": "null"}]


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ([], {}, False),
        ("1", 1, False),
    ],
)
def test_identity_keys_are_equal_for_equal_values(first: Json, second: Json, equal: bool) -> None:
    assert (make_identity_key(first) == make_identity_key(second)) is equal
