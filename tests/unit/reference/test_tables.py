"""Tables of schemas."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.reference.model import AnchorSet, Fact, TypeTable
from mcpgen.reference.pages import format_value, list_facts, make_tables
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12


def tables(schema: Any) -> list[TypeTable]:
    return make_tables(Schema(schema, DRAFT_2020_12), "x", AnchorSet())


def labels(properties: dict[str, Any], **more: Any) -> dict[str, str]:
    made = tables({"type": "object", "properties": properties, **more})
    return {member.name: "".join(part.text for part in member.label) for member in made[0].members}


def test_types_are_named() -> None:
    assert labels(
        {
            "a": {"type": "string"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": "array", "items": {"type": "number"}},
            "d": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "e": True,
            "f": False,
            "g": {"enum": ["x", 1, None]},
            "h": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "i": {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "j": {"$ref": "#/$defs/Place"},
            "k": {"type": "object", "properties": {"l": {}}},
            "m": {"oneOf": [{"const": "on"}, {"const": "off"}]},
        },
        **{"$defs": {"Place": {"type": "object", "properties": {}}}},
    ) == {
        "a": "string",
        "b": "integer or null",
        "c": "array of number",
        "d": "string or null",
        "e": "any value",
        "f": "nothing",
        "g": "string or number or null",
        "h": "object, each member boolean",
        "i": "array: string, integer",
        "j": "Place",
        "k": "object",
        "m": '"on" or "off"',
    }


def test_a_type_has_one_table_wherever_it_is_used() -> None:
    place = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Place"}}, "description": "A place."}
    made = tables(
        {"type": "object", "properties": {name: {"$ref": "#/$defs/Place"} for name in "abc"}, "$defs": {"Place": place}}
    )
    assert [(table.title, table.description) for table in made[1:]] == [("Place", "A place.")]
    targets = {part.target for table in made for member in table.members for part in member.label}
    assert targets == {made[1].anchor}


def test_a_reference_to_the_root_leads_to_its_table() -> None:
    made = tables({"type": "object", "properties": {"child": {"$ref": "#"}}})
    assert made[1:] == []
    assert made[0].members[0].label[0].target == made[0].anchor


def test_what_is_said_of_an_item_has_a_table() -> None:
    made = tables({"type": "array", "items": {"type": "string", "enum": ["a", "b"], "description": "A letter."}})
    assert [(part.text, bool(part.target)) for part in made[0].label] == [("array of ", False), ("string", True)]
    (item,) = made[1:]
    assert (item.title, item.description, item.facts) == ("[]", "A letter.", (Fact("one of", ('"a"', '"b"')),))


def test_no_keyword_is_lost() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "minLength": 1, "pattern": "^a", "x-unit": "m", "not": {"const": "b"}}},
        "anyOf": [{"required": ["a"]}],
        "additionalProperties": False,
        "maxProperties": 1,
    }
    made = tables(schema)
    assert made[0].members[0].facts == (
        Fact("at least 1 character"),
        Fact("matches", ("^a",)),
        Fact("x-unit", ('"m"',)),
        Fact("not", ('{"const": "b"}',)),
    )
    assert made[0].facts == (
        Fact("anyOf", ('[{"required": ["a"]}]',)),
        Fact("at most 1 member"),
        Fact("no other members"),
    )


def test_anchors_are_unique_and_safe() -> None:
    names = ["a b", "a/b", "a", "A", '"', "<x>", "…", "a.b", ""]
    made = tables(
        {"type": "object", "properties": {name: {"type": "object", "properties": {"a": {}}} for name in names}}
    )
    anchors = [table.anchor for table in made]
    anchors += [member.anchor for table in made for member in table.members]
    assert len(set(anchors)) == len(anchors) == 1 + 3 * len(names)
    assert all(set(anchor) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-.") for anchor in anchors)


def test_invisible_characters_are_shown() -> None:
    made = tables({"type": "object", "properties": {"a\u200b": {"description": "b\u202ec", "default": "d\u2066"}}})
    member = made[0].members[0]
    assert (member.name, member.description) == ("a⟨U+200B⟩", "b⟨U+202E⟩c")
    assert member.facts == (Fact("default", ('"d⟨U+2066⟩"',)),)


def test_deep_and_wide_schemas_stay_short() -> None:
    deep: Any = {"type": "string"}
    for _ in range(50):
        deep = {"type": "array", "items": deep}
    wide = {"anyOf": [{"type": "array", "items": {"const": number}} for number in range(500)]}
    made = tables({"type": "object", "properties": {"deep": deep, "wide": wide}})
    for table in made:
        for label in (table.label, *(member.label for member in table.members)):
            assert len("".join(part.text for part in label)) < 800


# --- what keywords say, in words --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "facts"),
    [
        ({"minimum": 1, "exclusiveMaximum": 2.5}, [Fact("at least", ("1",)), Fact("less than", ("2.5",))]),
        ({"minLength": 1}, [Fact("at least 1 character")]),
        ({"maxItems": 3}, [Fact("at most 3 items")]),
        ({"uniqueItems": True, "deprecated": False}, [Fact("no item twice")]),
        ({"enum": ["a", None]}, [Fact("one of", ('"a"', "null"))]),
        ({"const": 1}, [Fact("always", ("1",))]),
        ({"default": []}, [Fact("default", ("[]",))]),
        ({"format": "date"}, [Fact("format", ("date",))]),
        ({"type": "string", "title": "A", "description": "B", "$comment": "C"}, []),
        (True, []),
    ],
)
def test_words(schema: Any, facts: list[Fact]) -> None:
    assert list(list_facts(schema)) == facts


def test_long_lists_and_values_are_cut() -> None:
    (fact,) = list_facts({"enum": [*range(100)]})
    assert len(fact.values) == 61
    assert fact.values[-1] == "… 40 more"
    assert len(format_value("x" * 1000)) == 240
