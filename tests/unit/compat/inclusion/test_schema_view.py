"""Documents that can say which values are valid."""

from __future__ import annotations

from mcpgen.compat.inclusion.schema_view import has_member
from mcpgen.schema.keywords import DRAFT_07
from support.compat import make_view


def test_members_anywhere_inside_a_value() -> None:
    assert has_member({"a": [{"b": {"$ref": "#"}}]}, frozenset(["$ref"]))
    assert not has_member({"brief": "$ref", "a": ["$ref"]}, frozenset(["$ref"]))
    assert not has_member("$ref", frozenset(["$ref"]))


def test_only_a_dynamic_reference_makes_a_document_dynamic() -> None:
    assert make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}).dynamic
    assert not make_view({"title": "$dynamicRef"}).dynamic
    assert not make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}, DRAFT_07).dynamic


def test_validation_of_a_subschema() -> None:
    view = make_view({"properties": {"a": {"type": "string"}}})
    place = view.get_named_subschemas(view.root, "properties")["a"]
    assert view.is_valid(place, "x") is True
    assert view.is_valid(place, 1) is False
    dynamic = make_view({"properties": {"a": {"$dynamicRef": "#x"}}, "$defs": {"x": {"$dynamicAnchor": "x"}}})
    assert dynamic.is_valid(dynamic.get_named_subschemas(dynamic.root, "properties")["a"], 1) is None
