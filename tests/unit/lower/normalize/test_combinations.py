"""Lowering of schemas that combine others."""

from __future__ import annotations

from collections.abc import Iterable

import jsonschema_rs
import pytest
from mcpgen.lower.normalize.constraints import intersect_types
from mcpgen.lower.normalize.core import Core, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.places import (
    Alternatives,
    NormalizationContext,
    find_alternatives,
    find_conditional_properties,
    remove_alternatives,
)
from mcpgen.lower.normalize.satisfiability import SatisfiabilityChecker
from mcpgen.lower.normalize.unions import UnionLowering, find_tags
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json

# --- reading `anyOf` and `oneOf` --------------------------------------------------------------------------------------
PLACES = NormalizationContext(
    LoweringRequest("", Schema({"anyOf": [{}, {}], "oneOf": [{}], "allOf": [{"oneOf": [{}]}]}, DRAFT_2020_12))
)
PARTS = PLACES.list_parts([SchemaPlace("")])


def test_alternatives_of_all_parts() -> None:
    assert [(alternative.part.place.pointer, alternative.keyword) for alternative in find_alternatives(PARTS)] == [
        ("", "anyOf"),
        ("", "oneOf"),
        ("/allOf/0", "oneOf"),
    ]
    assert PARTS[0].list_branches("anyOf") == [SchemaPlace("/anyOf/0"), SchemaPlace("/anyOf/1")]


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


# --- finding properties that are declared under a condition -----------------------------------------------------------
A: Json = {"properties": {"a": {}}}
B: Json = {"properties": {"b": {}}}


@pytest.mark.parametrize(
    ("schema", "dialect", "expected"),
    [
        (A, DRAFT_2020_12, {}),
        ({"if": A}, DRAFT_2020_12, {"a": ["/if/properties/a"]}),
        ({"then": A, "else": B}, DRAFT_2020_12, {}),
        ({"if": {}, "then": A, "else": B}, DRAFT_2020_12, {"a": ["/then/properties/a"], "b": ["/else/properties/b"]}),
        (
            {"if": {}, "then": A, "else": {"if": {}, "then": A}},
            DRAFT_2020_12,
            {"a": ["/then/properties/a", "/else/then/properties/a"]},
        ),
        ({"dependentSchemas": {"x/y": A}}, DRAFT_2020_12, {"a": ["/dependentSchemas/x~1y/properties/a"]}),
        ({"dependencies": {"x": ["y"], "z": A}}, DRAFT_07, {"a": ["/dependencies/z/properties/a"]}),
        (
            {"anyOf": [A, {"allOf": [B]}]},
            DRAFT_2020_12,
            {"a": ["/anyOf/0/properties/a"], "b": ["/anyOf/1/allOf/0/properties/b"]},
        ),
        ({"if": {"properties": {"a": False}}, "not": B}, DRAFT_2020_12, {}),
        (
            {"if": {"$ref": "#"}, "then": {"$ref": "#/$defs/A"}, "$defs": {"A": A}},
            DRAFT_2020_12,
            {"a": ["/$defs/A/properties/a"]},
        ),
    ],
)
def test_properties_by_the_places_that_declare_them(schema: Json, dialect: str, expected: dict[str, list[str]]) -> None:
    places = NormalizationContext(LoweringRequest("", Schema(schema, dialect)))
    conditional_properties = find_conditional_properties(places.list_parts([SchemaPlace("")]), places)
    assert {
        name: [place.pointer for place in property_places] for name, property_places in conditional_properties.items()
    } == expected


# --- deciding whether null satisfies a schema -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("schema", "accepts"),
    [
        (True, True),
        (False, False),
        ({}, True),
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, True),
        ({"enum": ["a", None]}, True),
        ({"const": "a"}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"oneOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}]}]}, False),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, False),
        ({"not": {"type": "null"}}, True),  # not decided: it may
    ],
)
def test_null_is_accepted_where_the_schema_may_accept_it(schema: Json, accepts: bool) -> None:
    checker = SatisfiabilityChecker(NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12))))
    assert checker.accepts_null((SchemaPlace(""),)) is accepts


def test_endless_alternatives_end() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}}}
    assert SatisfiabilityChecker(NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12)))).accepts_null(
        (SchemaPlace(""),)
    )


# --- finding branches that no value satisfies -------------------------------------------------------------------------
KIND: Json = {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}
POSSIBLE: list[tuple[Json, Json]] = [
    (True, None),
    ({"enum": ["a", 1], "type": "integer"}, 1),
    ({"allOf": [KIND, {"properties": {"kind": {"enum": ["a", "b"]}}}]}, {"kind": "a"}),
    ({"allOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}, {}),
    ({"allOf": [{"required": ["a"]}, {"additionalProperties": False}]}, 1),  # no object has to be
    ({"type": "object", "required": ["a"], "patternProperties": {"a": {}}, "additionalProperties": False}, {"a": 1}),
    ({"anyOf": [False, {"type": "string"}]}, ""),
]
IMPOSSIBLE: list[Json] = [
    False,
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"enum": ["a"], "type": "integer"},
    {"allOf": [KIND, {"properties": {"kind": {"enum": ["b", "c"]}}}]},
    {"allOf": [KIND, {"properties": {"kind": {"type": "integer"}}}]},
    {"allOf": [KIND, {"additionalProperties": False}]},
    {"type": "object", "required": ["a"], "properties": {"a": False}},
    {"allOf": [KIND, {"anyOf": [{"type": "array"}, {"properties": {"kind": {"const": "b"}}}]}]},
]


def is_possible(schema: Json) -> bool:
    checker = SatisfiabilityChecker(NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12))))
    return checker.is_possible((SchemaPlace(""),))


@pytest.mark.parametrize(("schema", "value"), POSSIBLE)
def test_what_a_value_satisfies_is_possible(schema: Json, value: Json) -> None:
    assert isinstance(schema, dict | bool)
    assert jsonschema_rs.is_valid(schema, value)
    assert is_possible(schema)


@pytest.mark.parametrize("schema", IMPOSSIBLE)
def test_contradictions_are_found(schema: Json) -> None:
    assert not is_possible(schema)


def test_what_cannot_be_decided_is_possible() -> None:
    assert is_possible({"type": "string", "minLength": 2, "maxLength": 1})
    assert is_possible({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}})


# --- lowering alternatives, and finding what tells them apart ---------------------------------------------------------
ROOT = SchemaPlace("")
CIRCLE: Json = {"type": "object", "properties": {"kind": {"const": "circle"}}, "required": ["kind"]}
SQUARE: Json = {"type": "object", "properties": {"kind": {"const": "square"}}, "required": ["kind"]}


def name_places(places: Iterable[SchemaPlace], tag: str = "") -> Core:
    """Stand in for the lowering of branches: a type that shows the pointers and the tag."""
    return {"enum": [*(place.pointer for place in places), *([tag] if tag else [])]}


def name_types(places: tuple[SchemaPlace, ...], parts: tuple[SchemaPart, ...], types: set[str], tag: str) -> Core:
    return {"enum": [*sorted(types)]}


def lower(schema: Json, context: NormalizationContext | None = None) -> tuple[Core, list[str]]:
    """Return the type of a root with alternatives, and the checks."""
    context = context or NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12)))
    parts = context.list_parts([ROOT])
    core = UnionLowering(context, name_places, name_types).lower_union(parts, intersect_types(parts), "")
    return core, context.findings.checks


def test_alternatives_of_all_parts_are_found() -> None:
    parts = NormalizationContext(
        LoweringRequest("", Schema({"allOf": [{"anyOf": [True, True]}], "oneOf": [True]}, DRAFT_2020_12))
    ).list_parts([ROOT])
    assert [(alternative.part.place.pointer, alternative.keyword) for alternative in find_alternatives(parts)] == [
        ("", "oneOf"),
        ("/allOf/0", "anyOf"),
    ]
    assert parts[1].list_branches("anyOf") == [SchemaPlace("/allOf/0/anyOf/0"), SchemaPlace("/allOf/0/anyOf/1")]


def test_each_possible_branch_is_a_member() -> None:
    assert lower({"anyOf": [{"type": "string"}, False, {"type": "null"}]}) == (
        {"anyOf": [{"enum": ["/anyOf/0"]}, {"enum": ["/anyOf/2"]}]},
        [],
    )


def test_what_stands_beside_holds_for_each_branch() -> None:
    schema: Json = {"type": "object", "anyOf": [{"properties": {"a": True}}, {"properties": {"b": True}}]}
    assert lower(schema)[0] == {"anyOf": [{"enum": ["/anyOf/0", ""]}, {"enum": ["/anyOf/1", ""]}]}


def test_branches_that_only_require_properties_are_left_to_the_check() -> None:
    schema: Json = {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert lower(schema) == ({"enum": ["object"]}, ["anyOf"])


def test_one_of_needs_a_check_where_branches_may_overlap() -> None:
    assert lower({"oneOf": [{"type": "string"}, {"type": "null"}]})[1] == []
    assert lower({"oneOf": [{"type": "integer"}, {"type": "number"}]})[1] == ["oneOf"]
    assert lower({"oneOf": [{"const": "a"}, {"enum": [1]}]})[1] == []


def test_tagged_branches_are_named_by_their_tag() -> None:
    assert lower({"oneOf": [CIRCLE, SQUARE]}) == (
        {"anyOf": [{"enum": ["/oneOf/0", "circle"]}, {"enum": ["/oneOf/1", "square"]}]},
        [],
    )


def test_a_tag_is_different_in_every_branch() -> None:
    context = NormalizationContext(LoweringRequest("", Schema({"oneOf": [CIRCLE, CIRCLE]}, DRAFT_2020_12)))
    assert find_tags([SchemaPlace("/oneOf/0"), SchemaPlace("/oneOf/1")], (), context) == []


def test_no_possible_branch_is_any_value_with_a_note() -> None:
    context = NormalizationContext(LoweringRequest("", Schema({"anyOf": [False]}, DRAFT_2020_12)))
    assert lower(True, context) == ({}, ["anyOf"])
    assert len(context.findings.notes) == 1


def test_too_many_branches_are_left_to_the_check() -> None:
    schema: Json = {"type": ["string", "null"], "anyOf": [{"type": "string"}, {"type": "null"}]}
    context = NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12), limits=LoweringLimits(members=1)))
    assert lower(schema, context) == ({"enum": ["null", "string"]}, ["anyOf"])
