"""Definitions that schemas may share."""

from __future__ import annotations

from mcpgen.lower.shareable_types import find_shareable
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json


def find(schema: Json, dialect: str = DRAFT_2020_12) -> dict[str, str]:
    """Return the digests of shareable definitions, by pointer."""
    return {each.pointer: each.digest for each in find_shareable(SchemaIndex(schema, dialect))}


def test_definitions_that_reach_only_definitions_are_shareable() -> None:
    definitions: Json = {
        "A": {"items": {"$ref": "#/$defs/B"}},
        "B": {"type": "string"},
        "Root": {"$ref": "#"},
        "ReachesRoot": {"$ref": "#/$defs/Root"},
        "HasId": {"$id": "https://example.com/a"},
        "Inside": {"$ref": "#/$defs/A/items"},
        "Dynamic": {"$dynamicRef": "#a"},
    }
    assert set(find({"$defs": definitions})) == {"/$defs/A", "/$defs/B"}


def test_both_keywords_for_definitions_count() -> None:
    assert set(find({"definitions": {"A": {}}, "$defs": {"B": {}}}, DRAFT_07)) == {"/definitions/A", "/$defs/B"}


def test_the_digest_depends_on_name_content_and_what_is_reached() -> None:
    def digest(name: str, reached: Json, dialect: str = DRAFT_2020_12) -> str:
        return find({"$defs": {name: {"$ref": "#/$defs/X"}, "X": reached}}, dialect)[f"/$defs/{name}"]

    base = digest("A", {"type": "string"})
    assert digest("A", {"type": "string"}) == base
    assert len({base, digest("B", {"type": "string"}), digest("A", {"type": "null"})}) == 3
    assert digest("A", {"type": "string"}, DRAFT_07) != base


def test_definitions_that_reach_each_other_are_hashed_together() -> None:
    def find_circle(leaf: Json) -> dict[str, str]:
        return find({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}, leaf]}}})

    first, second = find_circle({"type": "string"}), find_circle({"type": "null"})
    assert set(first) == {"/$defs/A", "/$defs/B"}
    assert first["/$defs/A"] != second["/$defs/A"]


def test_a_definition_names_what_it_refers_to() -> None:
    (first, _) = find_shareable(SchemaIndex({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {}}}, DRAFT_2020_12))
    assert first.references == {"/$defs/A", "/$defs/B"}
