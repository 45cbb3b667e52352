"""The table of keywords, and walks over subschemas."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    BOUND_NAMES,
    CHECKED_KEYWORDS,
    CONSTRAINING_KEYWORDS,
    DIALECT_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORD_TABLE,
    KEYWORDS,
    KEYWORDS_BY_TYPE,
    KEYWORDS_OF,
    LOWER_BOUNDS,
    LOWER_NUMBER_BOUNDS,
    NUMBER_BOUNDS,
    REFERENCE_KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    SINGLE_SCHEMA_KEYWORDS,
    TYPED_KEYWORDS,
    UPPER_NUMBER_BOUNDS,
    VALUE_KEYWORDS,
    Lowering,
    detect_dialect,
    is_vacuous,
    iterate_subschemas,
    map_subschemas,
    walk_subschemas,
)
from mcpgen.schema.values import Json, follow_pointer, parse_pointer
from support.keyword_schemas import BESIDE, VALUES
from support.keyword_schemas import SAMPLES as SCHEMA_SAMPLES

META_SCHEMAS = {DRAFT_07: jsonschema_rs.Draft7Validator, DRAFT_2020_12: jsonschema_rs.Draft202012Validator}
WRONG: Json = {"type": "no type"}
"""A schema that is invalid as one, and valid as any other value."""


def test_each_keyword_has_one_entry() -> None:
    help = "an entry has the name of another one; or, if keywords were added on purpose, write their number here"
    assert len(KEYWORDS) == len(KEYWORD_TABLE) == 60, help
    assert all(name == keyword.name for name, keyword in KEYWORD_TABLE.items())


def is_valid_schema(schema: dict[str, Any], dialect: str) -> bool:
    try:
        META_SCHEMAS[dialect](schema)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", sorted(KEYWORDS - {"$schema", "$id", "$vocabulary"}))
def test_the_meta_schema_agrees_about_what_holds_schemas(name: str) -> None:
    """An invalid schema is refused exactly where a keyword holds schemas."""
    entry = KEYWORD_TABLE[name]
    dialect = entry.only_in or DRAFT_2020_12
    if entry.differs or name == "definitions":
        dialect = DRAFT_07
    if name == "contentSchema":
        dialect = DRAFT_2020_12
    values: list[tuple[frozenset[str], Any, Any]] = [
        (SINGLE_SCHEMA_KEYWORDS, {}, WRONG),
        (SCHEMA_LIST_KEYWORDS, [{}], [WRONG]),
        (SCHEMA_MAP_KEYWORDS, {"a": {}}, {"a": WRONG}),
    ]
    for keywords, good, bad in values:
        if name in keywords:
            assert is_valid_schema({name: good}, dialect)
            assert not is_valid_schema({name: bad}, dialect)
    if name in VALUE_KEYWORDS:
        assert is_valid_schema({name: [WRONG]}, dialect)


@pytest.mark.parametrize("name", sorted(KEYWORDS))
def test_an_entry_is_consistent(name: str) -> None:
    entry = KEYWORD_TABLE[name]
    assert bool(entry.bound) == (entry.lowering is Lowering.BOUND)
    assert not (entry.only_in and entry.differs)
    if entry.vacuous:
        assert entry.lowering is not Lowering.NOTHING
    if entry.lowering is Lowering.BOUND:
        assert name in TYPED_KEYWORDS


SAMPLES: list[Json] = [None, True, 0, 1.5, "", "abc", [], [1, "a", 1], {}, {"a": 1, "b": "x"}]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, entry in KEYWORD_TABLE.items() for value in entry.vacuous]
)
def test_a_vacuous_value_refuses_nothing(name: str, value: Json) -> None:
    dialect = KEYWORD_TABLE[name].only_in or DRAFT_2020_12
    validator = META_SCHEMAS[dialect]({name: value})
    assert all(validator.is_valid(sample) for sample in SAMPLES)


@pytest.mark.parametrize("name", sorted(ANNOTATION_KEYWORDS - {"deprecated", "readOnly", "writeOnly", "examples"}))
def test_annotations_constrain_nothing(name: str) -> None:
    assert name not in CONSTRAINING_KEYWORDS
    validator = jsonschema_rs.Draft202012Validator({name: "a"})
    assert all(validator.is_valid(sample) for sample in SAMPLES)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("object", "maxProperties", 0),
        ("object", "required", ["x"]),
        ("array", "maxItems", 0),
        ("array", "contains", False),
        ("string", "maxLength", 0),
        ("string", "pattern", "^z"),
        ("number", "maximum", -1),
        ("number", "multipleOf", 7),
    ],
)
def test_a_keyword_of_one_type_refuses_values_of_that_type_only(kind: str, name: str, value: Json) -> None:
    kinds = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    validator = jsonschema_rs.Draft202012Validator({name: value})
    refused = [sample for sample in SAMPLES if not validator.is_valid(sample)]
    assert refused
    assert {kinds[type(sample)] for sample in refused} == {kind}
    assert name in KEYWORDS_BY_TYPE[kind]


def test_bounds_are_lower_or_upper() -> None:
    assert {"minimum", "exclusiveMinimum", "minLength", "minItems"} == LOWER_BOUNDS
    assert set(BOUND_NAMES) - LOWER_BOUNDS == {"maximum", "exclusiveMaximum", "maxLength", "maxItems"}
    assert LOWER_NUMBER_BOUNDS == {"minimum": False, "exclusiveMinimum": True}
    assert UPPER_NUMBER_BOUNDS == {"maximum": False, "exclusiveMaximum": True}
    assert NUMBER_BOUNDS == ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


def test_checked_keywords_constrain() -> None:
    assert CHECKED_KEYWORDS < CONSTRAINING_KEYWORDS < KEYWORDS


def test_keywords_of_one_dialect_depend_on_it() -> None:
    old, new = KEYWORDS_OF[DRAFT_07], KEYWORDS_OF[DRAFT_2020_12]
    assert old - new == {"additionalItems"}
    assert "prefixItems" in new - old
    assert {"items", "$ref"} | (old ^ new) <= DIALECT_KEYWORDS
    assert REFERENCE_KEYWORDS == {DRAFT_07: ("$ref",), DRAFT_2020_12: ("$ref", "$dynamicRef")}


@pytest.mark.parametrize("dialect", [DRAFT_07, DRAFT_2020_12])
@pytest.mark.parametrize("name", sorted(CONSTRAINING_KEYWORDS))
def test_validators_apply_the_keywords_of_a_dialect(name: str, dialect: str) -> None:
    beside = BESIDE.get(name, {})
    if name == "additionalItems" and dialect == DRAFT_2020_12:
        beside = {"prefixItems": beside["items"]}
    accepted: set[tuple[bool, ...]] = set()
    for value in VALUES[name]:
        validator = META_SCHEMAS[dialect]({**beside, name: value})
        accepted.add(tuple(validator.is_valid(sample) for sample in SCHEMA_SAMPLES))
    assert (len(accepted) > 1) is (name in KEYWORDS_OF[dialect])


@pytest.mark.parametrize(
    ("keyword", "value", "vacuous"),
    [
        ("minProperties", 0, True),
        ("minProperties", 1, False),
        ("minProperties", False, False),
        ("propertyNames", True, True),
        ("propertyNames", 1, False),
        ("propertyNames", {}, True),
        ("uniqueItems", False, True),
        ("dependencies", {}, True),
        ("not", {}, False),
        ("x-unknown", True, False),
    ],
)
def test_a_value_that_accepts_everything_is_recognized(keyword: str, value: Json, vacuous: bool) -> None:
    assert is_vacuous(keyword, value) is vacuous


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [
        ({}, DRAFT_2020_12),
        (True, DRAFT_2020_12),
        ({"$schema": DRAFT_07 + "#"}, DRAFT_07),
        ({"$schema": DRAFT_2020_12}, DRAFT_2020_12),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, None),
        ({"$schema": 1}, None),
    ],
)
def test_the_root_names_its_dialect(schema: Json, dialect: str | None) -> None:
    assert detect_dialect(schema) == dialect


SCHEMA: dict[str, Json] = {
    "properties": {"a": {"type": "string"}, "b": True},
    "anyOf": [{}, False],
    "items": {"type": "null"},
    "default": {"type": "string"},
    "enum": [{}],
    "x-other": {},
}


def test_subschemas_are_found_by_keyword() -> None:
    assert dict(iterate_subschemas(SCHEMA, DRAFT_2020_12)) == {
        ("properties", "a"): {"type": "string"},
        ("properties", "b"): True,
        ("anyOf", "0"): {},
        ("anyOf", "1"): False,
        ("items",): {"type": "null"},
    }


def test_beside_a_draft_07_reference_only_definitions_count() -> None:
    schema: dict[str, Json] = {"$ref": "#", "items": {}, "definitions": {"A": {}}}
    assert [path for path, _ in iterate_subschemas(schema, DRAFT_07)] == [("definitions", "A")]
    assert len([*iterate_subschemas(schema, DRAFT_2020_12)]) == 2


def test_subschemas_are_replaced_in_a_copy() -> None:
    changed = map_subschemas(SCHEMA, DRAFT_2020_12, lambda path, _: {"title": "/".join(path)})
    assert changed["properties"] == {"a": {"title": "properties/a"}, "b": {"title": "properties/b"}}
    assert changed["anyOf"] == [{"title": "anyOf/0"}, {"title": "anyOf/1"}]
    assert changed["items"] == {"title": "items"}
    assert changed["default"] == SCHEMA["default"]
    assert SCHEMA["items"] == {"type": "null"}


@pytest.mark.parametrize("dialect", [DRAFT_07, DRAFT_2020_12])
def test_a_walk_reaches_every_schema_once(dialect: str) -> None:
    schema: Json = {
        "properties": {"a/b": {"items": [{"not": {"const": {"not": {}}}}]}, "~": {"$ref": "#", "not": True}},
        "prefixItems": [False],
        "if": {},
    }
    walked = [*walk_subschemas(schema, dialect)]
    assert all(follow_pointer(schema, parse_pointer(pointer)) is inner for pointer, inner in walked)
    pointers = {pointer for pointer, _ in walked}
    assert len(pointers) == len(walked)
    expected = {"", "/properties/a~1b", "/properties/~0", "/prefixItems/0", "/if"}
    expected |= {"/properties/a~1b/items/0", "/properties/a~1b/items/0/not"}
    assert pointers == (expected | {"/properties/~0/not"} if dialect == DRAFT_2020_12 else expected)
    assert [*walk_subschemas(True, dialect)] == [("", True)]
