"""Resolving references inside a document."""

from __future__ import annotations

import pytest
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json

SCHEMA: Json = {
    "$id": "https://example.com/root/",
    "$anchor": "top",
    "properties": {"a": {"$ref": "inner#day"}},
    "$defs": {
        "Inner": {"$id": "inner", "$defs": {"Day": {"$anchor": "day"}, "Night": {"$dynamicAnchor": "night"}}},
        "a/b": {"type": "string"},
    },
}


@pytest.mark.parametrize(
    ("pointer", "ref", "target"),
    [
        ("", "#", ""),
        ("", "#top", ""),
        ("", "#/$defs/a~1b", "/$defs/a~1b"),
        ("", "#/%24defs/Inner", "/$defs/Inner"),
        ("", "inner", "/$defs/Inner"),
        ("", "inner#day", "/$defs/Inner/$defs/Day"),
        ("", "https://example.com/root/inner#/$defs/Night", "/$defs/Inner/$defs/Night"),
        ("/$defs/Inner/$defs/Day", "#", "/$defs/Inner"),
        ("/$defs/Inner/$defs/Day", "#night", "/$defs/Inner/$defs/Night"),
        ("", "#day", None),
        ("", "#/missing", None),
        ("", "https://example.com/other", None),
    ],
)
def test_a_reference_leads_to_its_target(pointer: str, ref: str, target: str | None) -> None:
    assert SchemaIndex(SCHEMA, DRAFT_2020_12).find_target(pointer, ref) == target


def test_each_place_has_a_base() -> None:
    index = SchemaIndex(SCHEMA, DRAFT_2020_12)
    assert index.find_base("/properties/a/title") == "https://example.com/root/"
    assert index.find_base("/$defs/Inner/$defs/Day") == "https://example.com/root/inner"
    assert index.make_absolute("/$defs/Inner", "#x") == "https://example.com/root/inner#x"
    assert index.dynamic_anchors == {"night"}


def test_draft_07_writes_anchors_as_ids() -> None:
    index = SchemaIndex({"definitions": {"A": {"$id": "#a"}, "B": {"$anchor": "b"}}}, DRAFT_07)
    assert index.find_target("", "#a") == "/definitions/A"
    assert index.find_target("", "#b") is None


def test_two_schemas_with_one_id_clash() -> None:
    index = SchemaIndex({"$defs": {"A": {"$id": "https://a"}, "B": {"$id": "https://a"}}}, DRAFT_2020_12)
    (clash,) = index.clashes
    assert set(clash) == {"/$defs/A", "/$defs/B"}


def test_built_in_meta_schemas_are_known() -> None:
    index = SchemaIndex({}, DRAFT_2020_12)
    assert index.is_meta("", DRAFT_2020_12)
    assert index.is_meta("", DRAFT_07 + "#")
    assert not index.is_meta("", "https://json-schema.org/draft/2020-12/nothing")
    assert not index.is_meta("", "https://example.com/a")


@pytest.mark.parametrize(
    ("base", "ref", "joined"),
    [
        ("https://a/b/c", "d", "https://a/b/d"),
        ("https://a/b#x", "#y", "https://a/b#y"),
        ("mcpgen:/a/b", "c", "mcpgen:/a/c"),
        ("urn:a", "#b", "urn:a#b"),
        ("urn:a", "b", "b"),
        ("mcpgen:/a", "https://b", "https://b"),
        ("custom://host/a/b", "../c", "custom://host/c"),
        ("https://a", "", "https://a"),
        ("https://a", "//[", "//["),
    ],
)
def test_references_are_joined_to_bases_of_any_scheme(base: str, ref: str, joined: str) -> None:
    assert join_uri(base, ref) == joined


def test_parts_of_uris() -> None:
    assert split_fragment("a#b#c") == ("a", "b#c")
    assert is_absolute_uri("urn:a")
    assert not is_absolute_uri("1a:b")
    assert not is_absolute_uri("a/b:c/..") or is_absolute_uri("a:b")
