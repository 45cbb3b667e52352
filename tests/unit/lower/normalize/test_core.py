"""Data of the core language: references, unions, duplicates."""

from __future__ import annotations

from mcpgen.lower.normalize.core import (
    Core,
    list_direct_references,
    make_reference,
    make_union,
    remove_duplicates,
)


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
