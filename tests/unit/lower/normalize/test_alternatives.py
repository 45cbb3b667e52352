"""Reading `anyOf` and `oneOf`."""

from __future__ import annotations

from mcpgen.lower.normalize.alternatives import Alternatives, find_alternatives, list_branches, remove_alternatives
from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.schema.keywords import DRAFT_2020_12

PLACES = create_context({"anyOf": [{}, {}], "oneOf": [{}], "allOf": [{"oneOf": [{}]}]}, DRAFT_2020_12).places
PARTS = PLACES.list_parts([SchemaPlace("")])


def test_alternatives_of_all_parts() -> None:
    assert [(alternative.part.place.pointer, alternative.keyword) for alternative in find_alternatives(PARTS)] == [
        ("", "anyOf"),
        ("", "oneOf"),
        ("/allOf/0", "oneOf"),
    ]
    assert list_branches(PARTS[0], "anyOf") == [SchemaPlace("/anyOf/0"), SchemaPlace("/anyOf/1")]


def test_removed_ones_are_gone_and_merged_ones_are_conditions() -> None:
    root, inner = PARTS
    merged = [Alternatives(root, "oneOf"), Alternatives(inner, "oneOf")]
    places = remove_alternatives(PARTS, [Alternatives(root, "anyOf")], merged)
    flattened = frozenset({"$ref", "allOf"})
    one_of = frozenset({"oneOf"})
    assert places == (SchemaPlace("", flattened | {"anyOf"}, one_of), SchemaPlace("/allOf/0", frozenset(), one_of))
    parts = PLACES.list_parts(places)
    assert find_alternatives(parts) == []
    assert [sorted(part.schema) for part in parts] == [["oneOf"], ["oneOf"]]
