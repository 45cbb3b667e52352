"""Words and candidates for names of classes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.ir.types import ANY, Field, NameOrigin, ObjectClass, Presence, Sharing
from mcpgen.names.class_words import (
    NameFinder,
    NameSources,
    find_group_names,
    find_title,
    list_branch_words,
    shorten_definition_key,
)
from mcpgen.schema.values import Json


# --- names that schemas give themselves -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "title"),
    [
        ({"title": "Daily forecast"}, "Daily forecast"),
        ({"title": "One two three four five"}, ""),
        ({"title": "x" * 41}, ""),
        ({"title": "12"}, ""),
        ({"title": 1}, ""),
        (True, ""),
    ],
)
def test_a_title_can_be_a_name(schema: Json, title: str) -> None:
    assert find_title(schema) == title


@pytest.mark.parametrize(
    ("key", "short"),
    [
        ("Money", "Money"),
        ("core/money.json", "money"),
        ("external:core/money.schema.json", "money"),
        ("com.acme.Money", "Money"),
        ("shop__models__Money", "Money"),
        ("https://example.com/v1#Money", "Money"),
        ("money.v/2", "v"),
        ("42", "42"),
    ],
)
def test_the_last_part_of_a_qualified_key_counts(key: str, short: str) -> None:
    assert shorten_definition_key(key) == short


# --- words for the members of unions ----------------------------------------------------------------------------------
def constant(name: str, value: Json) -> Json:
    return {"type": "object", "properties": {name: {"const": value}}, "required": [name]}


def requires(*names: str) -> Json:
    return {"type": "object", "properties": {name: {} for name in names}, "required": [*names]}


def titled(title: str, **keywords: Json) -> Json:
    return {"title": title, **keywords}


OBJECT: Json = {"type": "object"}


@pytest.mark.parametrize(
    ("branches", "words"),
    [
        pytest.param([OBJECT, {"type": "null"}], ["", "null"], id="only object"),
        pytest.param([{"type": "array"}, OBJECT, {"type": "string"}], ["", "", "string"], id="object and array"),
        pytest.param([{"$ref": "#/$defs/a~1B.json"}, requires("x")], ["B", "x"], id="definition"),
        pytest.param([{"$ref": "x.json"}, {"$ref": "y.json"}], ["option1", "option2"], id="other documents"),
        pytest.param([constant("kind", "a"), constant("kind", "b")], ["a", "b"], id="constants"),
        pytest.param([constant("v", 1), constant("v", 2)], ["v 1", "v 2"], id="numbers"),
        pytest.param([constant("ok", True), constant("ok", False)], ["ok", "not ok"], id="booleans"),
        pytest.param(
            [{"properties": {"c": {"enum": ["DE", "AT"]}}}, {"properties": {"c": {"const": "FR"}}}],
            ["DE or AT", "FR"],
            id="two values",
        ),
        pytest.param(
            [titled("T", properties={"k": {"const": "a"}}), constant("k", "b")], ["a", "b"], id="before titles"
        ),
        pytest.param([titled("One"), titled("Two")], ["One", "Two"], id="titles"),
        pytest.param([titled("One"), titled("one")], ["option1", "option2"], id="one title"),
        pytest.param([requires("b", "a"), requires("a", "c")], ["b", "c"], id="required"),
        pytest.param([requires("z", "y"), requires("x")], ["y", "x"], id="first required"),
        pytest.param([{"properties": {"a": {}}}, {"properties": {"b": {}}}], ["a", "b"], id="declared"),
        pytest.param(
            [requires("a", "b"), requires("a"), requires("a")], ["b", "option2", "option3"], id="numbers last"
        ),
        pytest.param([constant("k", "a"), constant("k", "b"), OBJECT], ["a", "b", "object"], id="type"),
        pytest.param([constant("k", "a"), constant("k", "b"), True], ["a", "b", "other"], id="other"),
        pytest.param([{"allOf": [constant("k", "a")]}, constant("k", "b")], ["a", "b"], id="in allOf"),
        pytest.param([constant("k", "å"), constant("k", "ö")], ["option1", "option2"], id="not ASCII"),
    ],
)
def test_members_are_named_after_what_tells_them_apart(branches: list[Json], words: list[str]) -> None:
    assert list_branch_words(branches) == words


def test_words_do_not_depend_on_the_order_of_members() -> None:
    branches: list[Json] = [
        requires("a", "b"),
        requires("a", "c"),
        constant("kind", "x"),
        titled("Last", type="object"),
    ]
    words = dict(zip(map(str, branches), list_branch_words(branches), strict=True))
    assert dict(zip(map(str, branches[::-1]), list_branch_words(branches[::-1]), strict=True)) == words


# --- names proposed for nested classes --------------------------------------------------------------------------------
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
    assert NameFinder(SCHEMA, {}).find(pointer, tag).candidates == candidates


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
    assert NameFinder(SCHEMA, {}).find(pointer).origin is origin


def test_a_chosen_name_is_the_only_candidate() -> None:
    sources = NameFinder(SCHEMA, {"/$defs/D": "Forecast"}).find("/$defs/D")
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
    sources = NameFinder(SCHEMA, {}).find(pointer)
    assert (sources.given, sources.tail) == (title, tail)


# --- names of classes that stand for several equal objects ------------------------------------------------------------
PATH, GIVEN, CHOSEN = NameOrigin.PATH, NameOrigin.GIVEN, NameOrigin.CHOSEN


def node(origin: NameOrigin, *candidates: tuple[str, ...], tail: int = 1) -> ObjectClass:
    sharing = Sharing("digest", "", candidates[-1][-tail:])
    return ObjectClass("id", "", candidates, (), ANY, name_origin=origin, sharing=sharing)


def test_the_last_property_comes_before_the_common_path_and_the_whole_paths() -> None:
    nodes = [node(PATH, ("a", "data", "wind")), node(PATH, ("b", "data", "wind"))]
    assert find_group_names(nodes) == (("wind",), ("data", "wind"))


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        (["end", "start", "start"], ("start",)),
        (["from", "to", "from", "to", "centroid"], ("longitude", "latitude")),
        (["homeAddress", "work_address"], ("address",)),
    ],
)
def test_a_name_is_that_of_most_uses_or_what_they_end_with_or_the_first_properties(
    properties: list[str], name: tuple[str, ...]
) -> None:
    fields = tuple(Field(wire, ANY, Presence.REQUIRED) for wire in ("longitude", "latitude"))
    nodes = [replace(node(PATH, (f"p{index}", wire)), fields=fields) for index, wire in enumerate(properties)]
    assert find_group_names(nodes)[0] == name


def test_given_names_come_before_paths() -> None:
    nodes = [node(PATH, ("wind",)), node(PATH, ("wind",)), node(GIVEN, ("Wind reading",), ("reading",))]
    assert find_group_names(nodes) == (("Wind reading",), ("wind",))


def test_a_chosen_name_is_the_only_one() -> None:
    assert find_group_names([node(PATH, ("wind",)), node(CHOSEN, ("Storm",))]) == (("Storm",),)
