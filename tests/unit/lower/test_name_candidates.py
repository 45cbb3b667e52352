"""Names proposed for nested classes."""

from __future__ import annotations

import pytest
from mcpgen.lower.name_candidates import list_word_candidates
from mcpgen.schema.values import Json

SCHEMA: Json = {
    "properties": {
        "days": {"type": "array", "items": {"title": "Daily forecast", "anyOf": [{}, {}]}},
        "map": {"additionalProperties": {"title": "!"}},
        "pair": {"prefixItems": [{"title": "One two three four five"}]},
    },
    "$defs": {"D": {"title": "Day", "properties": {"hour": {}}}},
    "allOf": [{"properties": {"a": {}}}],
}


@pytest.mark.parametrize(
    ("pointer", "tag", "candidates"),
    [
        ("/properties/days/items", "", (("Daily forecast",), ("days", "item"))),
        ("/properties/days/items/anyOf/1", "", (("days", "item", "option2"),)),
        ("/properties/days/items/anyOf/1", "sunny", (("days", "item", "sunny"),)),
        ("/properties/map/additionalProperties", "", (("map", "value"),)),
        ("/properties/pair/prefixItems/0", "", (("pair", "item1"),)),
        ("/$defs/D", "", (("Day",), ("D",))),
        ("/$defs/D/properties/hour", "", (("Day", "hour"), ("D", "hour"))),
        ("/allOf/0/properties/a", "", (("a",),)),
        ("", "", ((),)),
    ],
)
def test_the_title_comes_before_the_path(pointer: str, tag: str, candidates: tuple[tuple[str, ...], ...]) -> None:
    assert list_word_candidates(SCHEMA, pointer, tag, {}) == candidates


def test_a_chosen_name_is_the_only_candidate() -> None:
    assert list_word_candidates(SCHEMA, "/$defs/D", "", {"/$defs/D": "Forecast"}) == (("Forecast",),)
