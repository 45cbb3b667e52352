"""Schemas of items under several subschemas."""

from __future__ import annotations

from mcpgen.compat.inclusion.item_schemas import find_item_schemas, measure_prefix, raise_least_by_contains
from mcpgen.schema.keywords import DRAFT_07
from support.compat import conjoin


def test_prefix_and_later_items_of_each_part() -> None:
    array = conjoin({"prefixItems": [{"const": 1}], "items": {"const": 2}, "allOf": [{"items": {"const": 3}}]})
    assert measure_prefix(array.view, array.parts) == 1
    assert [item.schema for item in find_item_schemas(array.view, array.parts, 0)] == [{"const": 1}, {"const": 3}]
    assert [item.schema for item in find_item_schemas(array.view, array.parts, None)] == [{"const": 2}, {"const": 3}]


def test_unevaluated_items_apply_where_nothing_else_does() -> None:
    array = conjoin({"prefixItems": [True], "unevaluatedItems": {"const": 4}})
    assert [item.schema for item in find_item_schemas(array.view, array.parts, 0)] == [True]
    assert [item.schema for item in find_item_schemas(array.view, array.parts, 1)] == [{"const": 4}]


def test_draft_07_tuples() -> None:
    array = conjoin({"items": [{"const": 1}], "additionalItems": {"const": 2}}, DRAFT_07)
    assert [item.schema for item in find_item_schemas(array.view, array.parts, 0)] == [{"const": 1}]
    assert [item.schema for item in find_item_schemas(array.view, array.parts, None)] == [{"const": 2}]


def test_contains_requires_an_item() -> None:
    for schema, least in (({"contains": {}}, 1), ({"contains": {}, "minContains": 0}, 0), ({}, 0)):
        array = conjoin(schema)
        assert raise_least_by_contains(array.view, array.parts, 0) == least
