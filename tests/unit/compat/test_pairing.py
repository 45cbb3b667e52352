"""Definitions before and after that belong together."""

from __future__ import annotations

from mcpgen.compat.pairing import pair_resources, pair_subschemas, pair_tools
from mcpgen.compat.rules.rule import SubschemaPair
from support.compat import make_resource, make_schema, make_tool

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def test_tools_are_paired_by_name() -> None:
    old, new = make_tool("a", TEXT), make_tool("a")
    (pair,) = pair_tools([old], [make_tool("b", TEXT), new])
    assert (pair.old, pair.new) == (old, new)


def test_a_tool_with_the_same_schemas_is_the_renamed_one() -> None:
    old, new = make_tool("a", TEXT, description="Old"), make_tool("b", TEXT, description="New")
    (pair,) = pair_tools([old], [new])
    assert pair.new is new


def test_two_candidates_or_bare_schemas_are_no_renaming() -> None:
    (ambiguous,) = pair_tools([make_tool("a", TEXT)], [make_tool("b", TEXT), make_tool("c", TEXT)])
    assert ambiguous.new is None
    (bare,) = pair_tools([make_tool("a")], [make_tool("b")])
    assert bare.new is None


def test_resources_are_paired_by_name_then_by_uri() -> None:
    old = [make_resource("a", uri="x://1"), make_resource("b", uri="x://2"), make_resource("c", uri="x://3")]
    new = [make_resource("a", uri="x://9"), make_resource("z", uri="x://2")]
    pairs = {pair.old.name: pair.new and pair.new.name for pair in pair_resources(old, new)}
    assert pairs == {"a": "a", "b": "z", "c": None}


def test_subschemas_are_paired_by_pointer() -> None:
    old = make_schema({"properties": {"a": {"title": "A"}, "b": {"title": "B"}}, "items": True})
    new = make_schema({"properties": {"a": {"title": "Z"}}, "items": {"type": "null"}})
    pairs = {pair.pointer: pair for pair in pair_subschemas(old, new)}
    assert set(pairs) == {"", "/properties/a"}
    assert pairs["/properties/a"] == SubschemaPair("/properties/a", {"title": "A"}, {"title": "Z"})
