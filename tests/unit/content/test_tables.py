"""Which array of a result has the rows of a table, and what columns there are."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.content.tables import ColumnGroup, NoTable, Table, find_items, lay_out_table, list_leaves, make_title
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import Node
from mcpgen.lower.assemble import lower_schemas
from mcpgen.pipeline.lowering import make_tool_requests
from support.definitions import define_tool, make_settings

BOAT: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}, "length": {"type": "number"}}}
BOATS: dict[str, Any] = {"type": "array", "items": BOAT}


def lower(schema: dict[str, Any]) -> tuple[SchemaRoot, dict[str, Node]]:
    root = lower_schemas(make_tool_requests(define_tool("list_boats", schema), make_settings()))[1]
    return root, {node.id: node for node in root.nodes}


def lay_out(schema: dict[str, Any]) -> Table:
    return lay_out_table(*lower(schema))


def list_titles(schema: dict[str, Any]) -> list[str]:
    return [column.title for column in list_leaves(lay_out(schema).columns)]


def make_rows(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": [*properties]}}


def test_an_array_has_a_column_for_each_property() -> None:
    table = lay_out(BOATS)
    assert table.rows is None
    assert list_titles(BOATS) == ["name", "length"]
    assert table.has_open_rows
    assert not lay_out({"type": "array", "items": {**BOAT, "additionalProperties": False}}).has_open_rows


@pytest.mark.parametrize(
    ("schema", "member"),
    [
        ({"type": "array"}, None),
        ({"$ref": "#/$defs/pair", "$defs": {"pair": {"type": "array", "prefixItems": [BOAT, {}]}}}, None),
        (
            {"type": "object", "properties": {"total": {}, "the-boats": {**BOATS, "type": ["array", "null"]}}},
            "the-boats",
        ),
        ({"type": ["array", "null"]}, "its result is not an array"),
        (BOAT, "its result has no property that is an array$"),
        (
            {"type": "object", "properties": {"a": BOATS, "b": {"type": "array"}}},
            'its result has several arrays: "a", "b"',
        ),
    ],
)
def test_the_array_whose_items_are_blocks(schema: dict[str, Any], member: str | None) -> None:
    if member is None or " " not in member:
        assert find_items(*lower(schema)) == member
        return
    with pytest.raises(NoTable, match=member):
        find_items(*lower(schema))


def test_the_other_properties_of_an_object_are_lines() -> None:
    table = lay_out({"type": "object", "properties": {"total": {"type": "integer"}, "boats": BOATS, "tags": {}}})
    assert table.rows is not None
    assert table.rows.wire == "boats"
    assert [line.wire for line in table.lines] == ["total", "tags"]
    assert table.has_open_root


def test_nested_objects_have_columns_of_their_own() -> None:
    place = {"type": "object", "properties": {"lat": {"type": "number"}, "by": BOAT}, "required": ["lat"]}
    assert list_titles(make_rows(place=place, n={"type": "integer"})) == ["place.lat", "place.by", "n"]
    (group, _) = lay_out(make_rows(place=place, n={"type": "integer"})).columns
    assert isinstance(group, ColumnGroup)
    assert group.is_open


def test_an_object_that_may_be_absent_needs_a_property_that_tells_so() -> None:
    nested: dict[str, Any] = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {}}}
    rows = {"type": "array", "items": {"type": "object", "properties": {"x": nested}}}
    assert list_titles(rows) == ["x"]
    nested["required"] = ["a", "b"]
    assert list_titles(rows) == ["x"]
    nested["properties"]["b"] = {"type": "integer"}
    assert list_titles(rows) == ["x.a", "x.b"]


def test_an_object_inside_of_itself_has_no_endless_columns() -> None:
    node = {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}
    schema = {"type": "array", "items": {"$ref": "#/$defs/Node"}, "$defs": {"Node": {**node, "required": ["n"]}}}
    titles = list_titles(schema)
    assert titles[:2] == ["n", "next.n"]
    assert len(titles) <= 64


def test_many_properties_of_nested_objects_stay_together() -> None:
    properties = {f"p{number}": {"type": "integer"} for number in range(40)}
    wide = {"type": "object", "properties": properties, "required": [*properties]}
    assert len(list_titles(make_rows(a=wide, n={}))) == 41
    assert list_titles(make_rows(a=wide, b=wide, n={})) == ["a", "b", "n"]


def test_titles_are_unique() -> None:
    assert make_title("a", "b") == "a.b"
    assert make_title("a.b") == '"a.b"'
    assert make_title("a", 'b.c"') == 'a."b.c\\""'
    assert make_title("") == '""'
    assert make_title("…") == '"…"'
    assert make_title('"a"') == '"\\"a\\""'


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string"}, "its result is not an array of objects"),
        ({"type": ["array", "null"], "items": BOAT}, "its result is not an array of objects"),
        (BOAT, "its result has no property that is an array of objects"),
        ({"type": "array", "items": {"type": "string"}}, "the items of its array are not all objects with properties"),
        ({"type": "array", "items": {**BOAT, "type": ["object", "null"]}}, "not all objects"),
        ({"type": "array", "items": {"type": "object"}}, "the items of its array are not all objects with properties"),
        (
            {"type": "object", "properties": {"a": BOATS, "b": BOATS}},
            'its result has several arrays of objects: "a", "b"',
        ),
        (
            {
                "type": "array",
                "items": {"oneOf": [make_rows(a={"const": 1})["items"], make_rows(a={"const": 2})["items"]]},
            },
            "the items of its array are objects of several kinds",
        ),
    ],
)
def test_what_is_no_table_is_explained(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(NoTable, match=message) as caught:
        lay_out(schema)
    assert caught.value.help
