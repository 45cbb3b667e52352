"""Hashes of what schemas say at a place."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ANY, Array, Choice, Field, Node, ObjectClass, Presence, Ref, Type
from mcpgen.lower.identity import ContentDigests, describe_structure, make_digest, make_node_id
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json


def digest(schema: Json, pointer: str = "/properties/x", dialect: str = DRAFT_2020_12) -> str | None:
    """Return the hash of a place of a schema."""
    return ContentDigests(SchemaIndex(schema, dialect)).hash_places([SchemaPlace(pointer)])


def inside(schema: Json, **definitions: Json) -> Json:
    return {"properties": {"x": schema}, "$defs": definitions}


MONEY: Json = {"type": "object", "properties": {"amount": {"type": "number"}, "unit": {"enum": ["EUR", "USD"]}}}
MONEY_BY_REFERENCE: Json = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "unit": {"$ref": "#/$defs/U"}},
}
BASE = digest(inside(MONEY))


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        pytest.param({"definitions": {"Money": MONEY}}, "/definitions/Money", id="definition"),
        pytest.param({"items": MONEY}, "/items", id="elsewhere"),
        pytest.param(inside(MONEY_BY_REFERENCE, U={"enum": ["EUR", "USD"]}), "/properties/x", id="part by reference"),
        pytest.param(
            inside({"title": "Money", "description": "A price.", **MONEY, "type": ["object", "null"]}),  # type: ignore[dict-item]
            "/properties/x",
            id="annotations and null",
        ),
    ],
)
def test_equal_objects_have_one_hash_wherever_they_are(schema: Json, pointer: str) -> None:
    assert digest(schema, pointer) == BASE


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param({"unit": {"enum": ["EUR", "USD"]}, "amount": {"type": "number"}}, id="order"),
        pytest.param({"amount": {"type": "number", "title": "Amount"}, "unit": {"enum": ["EUR", "USD"]}}, id="title"),
        pytest.param({"amount": {"type": "number", "maximum": 3}, "unit": {"enum": ["EUR", "USD"]}}, id="bound"),
        pytest.param({"amount": {"type": "number"}, "unit": {"enum": ["USD", "EUR"]}}, id="enum"),
    ],
)
def test_what_is_inside_counts(properties: Json) -> None:
    assert digest(inside({"type": "object", "properties": properties})) not in (BASE, None)


def test_the_dialect_counts() -> None:
    assert digest(inside(MONEY), dialect=DRAFT_07) != BASE


def test_branches_that_are_conditions_of_the_class_are_not_those_of_a_union() -> None:
    schema = inside({**MONEY, "oneOf": [{}], "anyOf": [{}]})  # type: ignore[dict-item]
    digests = ContentDigests(SchemaIndex(schema, DRAFT_2020_12))
    choices = [(), ("oneOf",), ("anyOf",), ("anyOf", "oneOf")]
    places = [SchemaPlace("/properties/x", merged=frozenset(merged)) for merged in choices]
    hashes = {digests.hash_places([place]) for place in places}
    assert len(hashes) == len(choices)
    assert digests.hash_places(places) != digests.hash_places(places[::-1])


def test_keywords_that_other_places_stand_for_do_not_count() -> None:
    schema = inside({**MONEY, "anyOf": [{}]})  # type: ignore[dict-item]
    digests = ContentDigests(SchemaIndex(schema, DRAFT_2020_12))
    assert digests.hash_places([SchemaPlace("/properties/x", frozenset(["anyOf"]))]) == BASE
    assert digests.hash_places([SchemaPlace("/properties/x")]) != BASE


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"y": {"$dynamicRef": "#a"}}},
        {"properties": {"y": {"$id": "https://example.com/a"}}},
        {"properties": {"y": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}},
    ],
)
def test_what_depends_on_its_place_has_no_hash(schema: Json) -> None:
    assert digest(inside(schema)) is None


def test_definitions_that_reach_each_other_are_hashed_together() -> None:
    def find(leaf: str, other: str = "B") -> str | None:
        circle: dict[str, Json] = {other: {"allOf": [{"$ref": "#/$defs/A"}, {"type": leaf}]}}
        return digest(inside({"$ref": "#/$defs/A"}, A={"$ref": f"#/$defs/{other}"}, **circle))

    assert find("string") == find("string")
    assert len({find("string"), find("null"), find("string", "C"), None}) == 4


def make_class(type: Type, description: str = "", presence: Presence = Presence.REQUIRED) -> Node:
    return ObjectClass("id", "", (), (Field("p", type, presence),), ANY, description)


def test_the_structure_of_a_class_counts_without_ids() -> None:
    base = describe_structure(make_class(Array(Ref("a"))))
    assert describe_structure(make_class(Array(Ref("b"), alias="c"), "Text.")) == base
    assert describe_structure(make_class(Array(Choice(("a",))))) != base
    assert describe_structure(make_class(Array(Ref("a")), presence=Presence.OPTIONAL)) != base


def test_no_hash_of_the_content_makes_no_digest() -> None:
    assert make_digest(None, make_class(ANY)) == ""
    assert make_digest("a", make_class(ANY)) != make_digest("b", make_class(ANY))


# --- ids of classes and aliases ---------------------------------------------------------------------------------------
def test_an_id_does_not_depend_on_the_order_of_places() -> None:
    first, second = SchemaPlace("/a"), SchemaPlace("/b", frozenset(["anyOf", "allOf"]))
    assert make_node_id([first, second], ":") == make_node_id([second, first], ":") == ":/a&/b!allOf!anyOf"


def test_marks_in_pointers_are_escaped() -> None:
    places = [[SchemaPlace("/a&b")], [SchemaPlace("/a"), SchemaPlace("b")], [SchemaPlace("/a%26b")]]
    assert len({make_node_id(place, ":") for place in places}) == 3
