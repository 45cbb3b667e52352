"""The place of a refused value or kind: that of the keyword that refuses it, however it is reached."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.refusals import find_refusal, find_refusing_part
from support.compat import find_gaps, make_view

REF: dict[str, Any] = {"$ref": "#/$defs/S", "description": "a description beside the reference"}
WAYS: dict[str, Any] = {
    "by reference": REF,
    "by two references": {"$ref": "#/$defs/T"},
    "in allOf": {"allOf": [REF], "title": "S"},
    "in a nullable union": {"anyOf": [REF, {"type": "null"}]},
    "in a union with other strings": {"oneOf": [REF, {"const": "x"}]},
}


def place(way: Any, definition: Any) -> Any:
    return {"type": "object", "properties": {"s": way}, "$defs": {"S": definition, "T": {"$ref": "#/$defs/S"}}}


@pytest.mark.parametrize("typed", [{}, {"type": "string"}], ids=["untyped", "typed"])
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_enum_is_the_place_however_it_is_reached(way: str, typed: dict[str, Any]) -> None:
    narrow, wide = ({**typed, "enum": values} for values in (["a"], ["a", "b"]))
    (gap,) = find_gaps(place(WAYS[way], wide), place(WAYS[way], narrow))
    assert (gap.kind.name, gap.keyword, gap.values, gap.certain) == ("VALUE", "enum", ('"b"',), True)
    assert (gap.producer_pointer, gap.consumer_pointer) == ("/$defs/S", "/$defs/S")


@pytest.mark.parametrize(
    ("wide", "narrow", "kind", "keyword"),
    [
        ({"const": 1}, {"const": 2}, "VALUE", "const"),
        ({"type": "string"}, {"enum": ["a"]}, "FREE", "enum"),
        ({"enum": ["a", None]}, {"enum": ["a"]}, "TYPE", "type"),
        ({"type": ["string", "null"]}, {"type": "string"}, "TYPE", "type"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}]}, "TYPE", "type"),
    ],
)
def test_other_changes_of_a_definition_have_their_place_there(wide: Any, narrow: Any, kind: str, keyword: str) -> None:
    (gap,) = find_gaps(place(REF, wide), place(REF, narrow))
    assert (gap.kind.name, gap.keyword) == (kind, keyword)
    assert (gap.producer_pointer, gap.consumer_pointer) == ("/$defs/S", "/$defs/S")


def test_values_that_different_keywords_refuse_are_different_gaps() -> None:
    producer: Any = {"enum": ["a", "b", "c"]}
    consumer: Any = {"allOf": [{"enum": ["a", "b"]}, {"enum": ["a", "c"]}]}
    gaps = {gap.consumer_pointer: gap.values for gap in find_gaps(producer, consumer)}
    assert gaps == {"/allOf/0": ('"c"',), "/allOf/1": ('"b"',)}


def test_no_branch_of_a_union_is_named_that_the_other_version_does_not_have() -> None:
    view = make_view({"anyOf": [{"enum": ["a"]}, {"const": "b"}]})
    assert find_refusal(view, view.root, "c", ()) == (view.root, "")
    assert find_refusal(view, view.root, "c", ["/anyOf/0"])[1] == "enum"
    location, keyword = find_refusal(view, view.root, "c", ["/anyOf/1"])
    assert (location.at, keyword) == ("/anyOf/1", "")
    overlapping = make_view({"oneOf": [{"enum": ["a"]}, {"enum": ["c"]}, {"type": "string"}]})
    assert find_refusal(overlapping, overlapping.root, "c", ["/oneOf/0"]) == (overlapping.root, "")


def test_references_in_a_circle_end() -> None:
    view = make_view({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}})
    assert find_refusing_part(view, view.root, "null").at == "/$defs/B"
    circle = make_view({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, False]}}})
    assert find_refusing_part(circle, circle.root, "null").at.startswith("/$defs/A")
