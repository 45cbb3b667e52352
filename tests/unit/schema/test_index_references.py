"""A reference inside a document means what jsonschema-rs takes it for."""

from __future__ import annotations

import pytest
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.result_wrapper import wrap_schema
from mcpgen.schema.values import Json, follow_pointer, parse_pointer
from support.documents import (
    make_validator,
)

INDEXES: dict[str, tuple[str, dict[str, Json], list[str]]] = {
    "pointers": (
        DRAFT_2020_12,
        {
            "$defs": {
                "a/b": {"const": 1},
                "til~de": {"const": 2},
                "per%cent": {"const": 3},
                "sp ace": {"const": 4},
                "ü": {"const": 5},
                "list": {"prefixItems": [{"const": 6}, {"const": 7}]},
                "": {"const": 8},
            }
        },
        [
            "#/$defs/a~1b",
            "#/$defs/til~0de",
            "#/$defs/per%25cent",
            "#/$defs/sp%20ace",
            "#/$defs/%C3%BC",
            "#/%24defs/a~1b",
            "#/$defs/list/prefixItems/1",
            "#/$defs/",
        ],
    ),
    "anchors": (
        DRAFT_2020_12,
        {
            "$defs": {
                "one": {"$anchor": "here", "const": 1},
                "two": {"$dynamicAnchor": "there", "const": 2},
                "inner": {
                    "$id": "inner.json",
                    "$anchor": "root",
                    "$defs": {"three": {"$anchor": "here", "const": 3}, "four": {"const": 4}},
                    "const": 5,
                },
            }
        },
        [
            "#here",
            "#there",
            "inner.json#here",
            "inner.json#/$defs/four",
            "inner.json#root",
            "inner.json",
            "inner.json#",
        ],
    ),
    "identifiers": (
        DRAFT_2020_12,
        {
            "$id": "https://example.com/schemas/root.json",
            "$defs": {
                "a": {"$id": "a.json", "const": 1},
                "b": {"$id": "/top/b.json", "const": 2, "$defs": {"c": {"$id": "c.json", "const": 3}}},
                "d": {"$id": "https://other.example.org/d/", "const": 4, "$defs": {"e": {"$id": "e", "const": 5}}},
                "f": {"$id": "urn:example:f", "const": 6, "$defs": {"g": {"$anchor": "g", "const": 7}}},
                "h": {"$id": "../h.json", "const": 8},
            },
        },
        [
            "a.json",
            "https://example.com/schemas/a.json",
            "./a.json#",
            "/top/b.json",
            "../top/c.json",
            "//example.com/top/c.json",
            "https://other.example.org/d/",
            "https://other.example.org/d/e",
            "urn:example:f",
            "urn:example:f#g",
            "urn:example:f#/$defs/g",
            "https://example.com/h.json",
            "root.json#/$defs/a",
            "#/$defs/f/$defs/g",
        ],
    ),
    "draft-07": (
        DRAFT_07,
        {
            "definitions": {
                "one": {"const": 1},
                "two": {"$id": "#two", "const": 2},
                "inner": {
                    "$id": "http://example.com/inner.json",
                    "const": 3,
                    "definitions": {"four": {"$id": "#four", "const": 4}, "five": {"const": 5}},
                },
            }
        },
        [
            "#/definitions/one",
            "#two",
            "http://example.com/inner.json",
            "http://example.com/inner.json#four",
            "http://example.com/inner.json#/definitions/five",
        ],
    ),
}


@pytest.mark.parametrize(
    ("case", "ref"), [(case, ref) for case, (_, _, references) in INDEXES.items() for ref in references]
)
def test_a_reference_means_what_a_validator_takes_it_for(case: str, ref: str) -> None:
    dialect, parts, _ = INDEXES[case]
    schema: Json = {**parts, "$schema": dialect, "properties": {"it": {"$ref": ref}}}
    target = SchemaIndex(schema, dialect).find_target("/properties/it", ref)
    assert target is not None
    meant = follow_pointer(schema, parse_pointer(target))
    assert isinstance(meant, dict)
    validator = make_validator(schema, dialect)
    accepted = [value for value in range(1, 9) if validator.is_valid({"it": value})]
    assert accepted == [meant["const"]]


@pytest.mark.parametrize(
    ("case", "ref"), [(case, ref) for case, (_, _, references) in INDEXES.items() for ref in references]
)
def test_a_reference_means_the_same_in_the_wrapped_schema(case: str, ref: str) -> None:
    dialect, parts, _ = INDEXES[case]
    schema: Json = {**parts, "$schema": dialect, "properties": {"it": {"$ref": ref}}}
    plain, wrapped = make_validator(schema, dialect), make_validator(wrap_schema(schema, dialect), dialect)
    for value in range(1, 9):
        assert wrapped.is_valid({"result": {"it": value}}) == plain.is_valid({"it": value})
    assert not wrapped.is_valid({"it": 1})


NOTHING: list[tuple[Json, str, str]] = [
    ({"$defs": {"a": {}}}, "", "#/$defs/b"),
    ({"$defs": {"a": {}}}, "", "#/$defs/a/0"),
    ({"$defs": {"a": {}}}, "", "#a"),
    ({"$defs": {"a": {"$anchor": "b"}}}, "", "#a"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/1"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/-"),
    ({"const": {"$anchor": "a"}}, "", "#a"),
    ({"enum": [{"$id": "x.json"}]}, "", "x.json"),
    ({"properties": {"$anchor": {"const": "a"}}}, "", "#a"),
    ({"$defs": {"a": {"$id": "a.json", "$defs": {"b": {"$anchor": "b"}}}}}, "", "#b"),
    ({"$defs": {"a": {"$id": "a.json"}, "b": {}}}, "/$defs/a", "#/$defs/b"),
    ({}, "", "other.json"),
    ({}, "", "https://example.com/"),
    ({}, "", "//["),
    ({}, "", "http://[::x#a"),
    ({}, "", "http://\u2100/"),
    ({"$id": "http://["}, "", "#a"),
    ({"$id": "https://example.com/", "$defs": {"a": {"$id": "//["}}}, "/$defs/a", "#b"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/²"),
    ({"prefixItems": [{}]}, "", "#/prefixItems/" + "1" * 5_000),
]


@pytest.mark.parametrize(("schema", "where", "ref"), NOTHING)
def test_a_reference_to_nothing_means_nothing(schema: Json, where: str, ref: str) -> None:
    assert SchemaIndex(schema, DRAFT_2020_12).find_target(where, ref) is None
