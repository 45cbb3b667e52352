"""Names proposed for nested classes."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import NameOrigin
from mcpgen.lower.name_candidates import NameSources, find_name_sources
from mcpgen.schema.values import Json

SCHEMA: Json = {
    "properties": {
        "days": {
            "type": "array",
            "items": {"title": "Daily forecast", "anyOf": [{}, {"properties": {"rain": {}}}, {"type": "object"}]},
        },
        "map": {"additionalProperties": {"title": "!"}},
        "pair": {"prefixItems": [{"title": "One two three four five"}]},
    },
    "$defs": {"D": {"title": "Day", "properties": {"hour": {}}}, "core/money.json": {"properties": {"unit": {}}}},
    "allOf": [{"properties": {"a": {}}}],
}


@pytest.mark.parametrize(
    ("pointer", "tag", "candidates"),
    [
        ("/properties/days/items", "", (("Daily forecast",), ("days", "item"))),
        ("/properties/days/items/anyOf/1", "", (("days", "item", "rain"), ("days", "item", "rain", "object"))),
        ("/properties/days/items/anyOf/1", "sunny", (("days", "item", "sunny"), ("days", "item", "sunny", "object"))),
        ("/properties/days/items/anyOf/1/properties/rain", "sunny", (("days", "item", "rain"),)),
        ("/properties/map/additionalProperties", "", (("map", "value"),)),
        ("/properties/pair/prefixItems/0", "", (("pair", "item1"),)),
        ("/$defs/D", "", (("Day",), ("D",))),
        ("/$defs/D/properties/hour", "", (("Day", "hour"), ("D", "hour"))),
        ("/$defs/core~1money.json", "", (("money",), ("core/money.json",))),
        ("/$defs/core~1money.json/properties/unit", "", (("money", "unit"), ("core/money.json", "unit"))),
        ("/allOf/0/properties/a", "", (("a",),)),
        ("", "", ((),)),
    ],
)
def test_the_title_comes_before_the_path(pointer: str, tag: str, candidates: tuple[tuple[str, ...], ...]) -> None:
    assert find_name_sources(SCHEMA, pointer, tag, {}).candidates == candidates


@pytest.mark.parametrize(
    ("pointer", "origin"),
    [
        ("/$defs/D", NameOrigin.GIVEN),
        ("/$defs/core~1money.json", NameOrigin.GIVEN),
        ("/properties/days/items", NameOrigin.GIVEN),
        ("/$defs/D/properties/hour", NameOrigin.PATH),
        ("/properties/map", NameOrigin.PATH),
    ],
)
def test_titles_and_keys_of_definitions_are_given_names(pointer: str, origin: NameOrigin) -> None:
    assert find_name_sources(SCHEMA, pointer, "", {}).origin is origin


def test_a_chosen_name_is_the_only_candidate() -> None:
    sources = find_name_sources(SCHEMA, "/$defs/D", "", {"/$defs/D": "Forecast"})
    assert sources == NameSources(NameOrigin.CHOSEN, (("Forecast",),), "Day", ("D",))


@pytest.mark.parametrize(
    ("pointer", "title", "tail"),
    [
        ("/$defs/D", "Day", ("D",)),
        ("/$defs/D/properties/hour", "", ("hour",)),
        ("/properties/days/items", "Daily forecast", ("days", "item")),
        ("/properties/days/items/anyOf/1", "", ("days", "item", "rain")),
        ("/properties/days/items/anyOf/1/properties/rain", "", ("rain",)),
    ],
)
def test_what_uses_have_in_common_begins_at_the_last_property(pointer: str, title: str, tail: tuple[str, ...]) -> None:
    sources = find_name_sources(SCHEMA, pointer, "", {})
    assert (sources.given, sources.tail) == (title, tail)
