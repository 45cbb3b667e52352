"""Gaps of propertyNames."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.gap import Gap
from mcpgen.compat.inclusion.checker import InclusionChecker
from mcpgen.compat.inclusion.context import ValuePath
from mcpgen.compat.inclusion.property_names import find_property_name_gaps, list_compared_names
from support.compat import conjoin, make_view


def find_name_gaps(wide: Any, narrow: Any) -> list[Gap]:
    checker = InclusionChecker(make_view(wide), make_view(narrow))
    return find_property_name_gaps(checker, conjoin(wide), checker.narrow.root, ValuePath())


def test_compared_names() -> None:
    assert list_compared_names(conjoin({"properties": {"b": True}}), ["a", "b"]) == (["a", "b"], False)
    assert list_compared_names(conjoin({"propertyNames": {"enum": ["x", "y"]}}), ["a"]) == (["x", "y"], True)


def test_declared_names_are_validated() -> None:
    (gap,) = find_name_gaps({"properties": {"a": {}, "bb": {}, "cc": False}}, {"propertyNames": {"maxLength": 1}})
    assert (gap.values, gap.hint, gap.certain) == (('"bb"',), {"required": ["bb"]}, True)


def test_undeclared_names_are_compared_as_strings() -> None:
    narrow = {"propertyNames": {"maxLength": 3}}
    (gap,) = find_name_gaps({"type": "object"}, narrow)
    assert not gap.certain
    assert find_name_gaps({"type": "object", "propertyNames": {"maxLength": 2}}, narrow) == []
    assert find_name_gaps({"type": "object", "additionalProperties": False}, narrow) == []


def test_the_same_schema_for_names_is_no_gap() -> None:
    schema = {"propertyNames": {"pattern": "^a"}}
    assert find_name_gaps({"type": "object", **schema}, schema) == []
    (gap,) = find_name_gaps({"type": "object"}, schema)
    assert gap.constraint == {"pattern": "^a"}
    assert find_name_gaps({"type": "object"}, {"minProperties": 1}) == []
