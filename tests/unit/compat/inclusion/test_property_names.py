"""Gaps of propertyNames."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.gap import Gap
from mcpgen.compat.inclusion.property_names import PROPERTY_NAME_RULES, list_compared_names
from support.compat import conjoin, find_rule_gaps


def find_name_gaps(producer: Any, consumer: Any) -> list[Gap]:
    return find_rule_gaps(PROPERTY_NAME_RULES, producer, consumer, "object")


def test_compared_names() -> None:
    assert list_compared_names(conjoin({"properties": {"b": True}}).objects, ["a", "b"]) == (["a", "b"], False)
    assert list_compared_names(conjoin({"propertyNames": {"enum": ["x", "y"]}}).objects, ["a"]) == (["x", "y"], True)


def test_declared_names_are_validated() -> None:
    (gap,) = find_name_gaps({"properties": {"a": {}, "bb": {}, "cc": False}}, {"propertyNames": {"maxLength": 1}})
    assert (gap.values, gap.witness_schema, gap.certain) == (('"bb"',), {"required": ["bb"]}, True)


def test_undeclared_names_are_compared_as_strings() -> None:
    consumer = {"propertyNames": {"maxLength": 3}}
    (gap,) = find_name_gaps({"type": "object"}, consumer)
    assert not gap.certain
    assert find_name_gaps({"type": "object", "propertyNames": {"maxLength": 2}}, consumer) == []
    assert find_name_gaps({"type": "object", "additionalProperties": False}, consumer) == []


def test_the_same_schema_for_names_is_no_gap() -> None:
    schema = {"propertyNames": {"pattern": "^a"}}
    assert find_name_gaps({"type": "object", **schema}, schema) == []
    (gap,) = find_name_gaps({"type": "object"}, schema)
    assert gap.constraint == {"pattern": "^a"}
    assert find_name_gaps({"type": "object"}, {"minProperties": 1}) == []
