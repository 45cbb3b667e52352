"""The normalizer: what it looks at, and what it remembers."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from mcpgen.lower.normalize.core import Core, NormalizationFindings, NormalizedSchema, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.limits import (
    LOOKUPS_PER_TYPE,
    MIN_TYPE_BUDGET,
    LoweringBudget,
    SchemaTooLarge,
    TypeSizes,
)
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.normalize.places import NormalizationContext
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORD_TABLE
from mcpgen.schema.values import Json

# --- normalizing whole schemas ----------------------------------------------------------------------------------------
VALUES: list[Json] = [None, True, 0, 1, 1.5, -3, "", "a", "abc", [], [1], ["a", 1], {}, {"a": 1}, {"a": "x", "b": None}]


def normalize(schema: Json, **limits: int) -> NormalizedSchema:
    return normalize_schema(LoweringRequest("", Schema(schema, DRAFT_2020_12), limits=LoweringLimits(**limits)), "A")


def make_core_schema(normalized: NormalizedSchema) -> dict[str, Json]:
    """Return the JSON Schema that a normalized schema means."""
    definitions: dict[str, Json] = {key: alias.core for key, alias in normalized.aliases.items()}
    for key, core_class in normalized.classes.items():
        definitions[key] = {
            "type": "object",
            "properties": {prop.wire: prop.core for prop in core_class.properties},
            "required": [prop.wire for prop in core_class.properties if prop.presence.value == "required"],
            "additionalProperties": False if core_class.extra is None else core_class.extra,
        }
    return {**normalized.root, "$defs": definitions}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "null"}},
        {"anyOf": [{"type": "string", "minLength": 2}, {"type": "array", "items": {"type": "integer"}}]},
        {"type": ["integer", "null"], "minimum": 0.5},
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
        {"enum": [1, "a", None, [1]]},
        {"type": "object", "propertyNames": {"const": "a"}},
        {"not": {"type": "string"}},
        {"type": "object", "minProperties": 2, "patternProperties": {"^a": {"type": "integer"}}},
    ],
)
def test_the_core_schema_accepts_what_the_schema_accepts(schema: dict[str, Json]) -> None:
    """It accepts no less; and no more where no check is needed."""
    normalized = normalize(schema)
    exact = jsonschema_rs.validator_for(schema)
    core = jsonschema_rs.validator_for(make_core_schema(normalized))
    for value in VALUES:
        if exact.is_valid(value):
            assert core.is_valid(value), value
        elif not normalized.checks:
            assert not core.is_valid(value), value


def test_a_root_object_is_a_class_although_it_declares_nothing() -> None:
    assert normalize({"type": "object"}).root == {"$ref": "#/$defs/AC0"}


def test_an_impossible_root_object_is_an_open_class() -> None:
    normalized = normalize({"type": "object", "allOf": [False]})
    assert normalized.root == {"$ref": "#/$defs/AC0"}
    assert normalized.checks == ["type"]


def test_the_description_comes_from_behind_references() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string", "description": "An A."}}}
    assert normalize(schema).description == "An A."


def test_limits_are_raised() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": True}}}}
    with pytest.raises(SchemaTooLarge):
        normalize(schema, classes=1)


# --- creating the context of a run ------------------------------------------------------------------------------------
def test_places_record_their_findings_in_the_context() -> None:
    formats = FormatChoices(("date",))
    limits = LoweringLimits(members=3)
    context = NormalizationContext(
        LoweringRequest("", Schema({"$ref": "https://example.com/else"}, DRAFT_07), formats=formats, limits=limits), "B"
    )
    assert (context.prefix, context.request.formats, context.limits, context.dialect) == (
        "B",
        formats,
        limits,
        DRAFT_07,
    )
    context.flatten([SchemaPlace("")])
    assert context.findings.checks == ["$ref"]


# --- checks and notes of one run --------------------------------------------------------------------------------------
def make_findings() -> NormalizationFindings:
    return NormalizationFindings(LoweringLimits(members=2))


def test_checks_are_sorted_and_unique() -> None:
    findings = make_findings()
    findings.require_check("pattern", "not")
    findings.require_check("pattern")
    assert findings.checks == ["not", "pattern"]


def test_only_keywords_that_no_type_says_are_recorded() -> None:
    findings = make_findings()
    schema: dict[str, Json] = {
        "type": "string",
        "pattern": "a",
        "minProperties": 0,
        "uniqueItems": True,
        "$dynamicRef": "#a",
    }
    findings.require_checks_in((SchemaPart(SchemaPlace(""), schema),))
    assert findings.checks == ["dynamicRef", "pattern", "uniqueItems"]


def test_the_first_note_at_a_pointer_stays() -> None:
    findings = make_findings()
    assert findings.widen_to_any("/a", "type", "it nests") == {}
    findings.widen_to_any("/a", "enum")
    findings.leave_out_members("/b", "enum", "3 values")
    assert findings.notes == [
        ("/a", "it nests, so the type is that of any JSON value"),
        ("/b", "3 values are more than 2 (`limits.members`), so the type does not say them"),
    ]
    assert findings.checks == ["enum", "type"]


# --- budgets and sizes of types ---------------------------------------------------------------------------------------
def test_a_small_schema_may_unfold_into_the_minimum() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=1), subschemas=1)
    budget.count_types(MIN_TYPE_BUDGET)
    with pytest.raises(SchemaTooLarge, match="more than 1 types for each subschema"):
        budget.count_types()


def test_a_large_schema_may_unfold_in_proportion() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=20), subschemas=1_000)
    budget.count_types(20_000)
    with pytest.raises(SchemaTooLarge):
        budget.count_types()


def test_places_have_a_budget_of_their_own() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=1), subschemas=1)
    budget.count_places(MIN_TYPE_BUDGET * LOOKUPS_PER_TYPE)
    budget.count_types()
    with pytest.raises(SchemaTooLarge):
        budget.count_places()


def test_the_size_of_a_type_counts_its_levels_and_parts() -> None:
    text: Core = {"type": "string"}
    size = TypeSizes().measure({"anyOf": [text, {"type": "array", "items": text}, {"enum": [1, 2, 3]}]})
    assert (size.levels, size.parts) == (3, 1 + 1 + 2 + 3)


def test_a_part_that_occurs_twice_counts_twice() -> None:
    text: Core = {"type": "string"}
    assert TypeSizes().measure({"anyOf": [text, text]}).parts == 3


# --- reading places: references, flattening, descriptions -------------------------------------------------------------
ROOT = SchemaPlace("")


def make_context(schema: Json, dialect: str = DRAFT_2020_12) -> NormalizationContext:
    return NormalizationContext(LoweringRequest("", Schema(schema, dialect)))


def flatten(schema: Json, dialect: str = DRAFT_2020_12) -> list[str] | None:
    """Return the pointers of a root's parts."""
    parts = make_context(schema, dialect).flatten([ROOT])
    return None if parts is None else [part.place.pointer for part in parts]


def test_absent_keywords_are_left_out() -> None:
    places = make_context({"type": "string", "anyOf": [True]})
    assert places.read_schema(SchemaPlace("", frozenset(["anyOf"]))) == {"type": "string"}


def test_all_of_and_references_are_taken_apart() -> None:
    schema: Json = {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}], "$defs": {"A": {"minLength": 1}}}
    assert flatten(schema) == ["", "/allOf/0", "/$defs/A", "/allOf/1"]


def test_parts_do_not_contain_what_was_taken_apart() -> None:
    parts = make_context({"allOf": [{"type": "string"}], "minLength": 1}).list_parts([ROOT])
    assert [part.schema for part in parts] == [{"minLength": 1}, {"type": "string"}]


def test_false_leaves_no_parts() -> None:
    places = make_context({"allOf": [False]})
    assert places.flatten([ROOT]) is None
    assert places.list_parts([ROOT]) == ()


def test_true_adds_nothing() -> None:
    assert flatten({"allOf": [True]}) == [""]


def test_keywords_beside_a_draft_07_reference_do_not_count() -> None:
    schema: Json = {"$ref": "#/definitions/A", "minLength": 1, "definitions": {"A": {"type": "string"}}}
    assert flatten(schema, DRAFT_07) == ["/definitions/A"]


def test_a_reference_out_of_the_document_needs_the_check() -> None:
    context = make_context({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    context.flatten([ROOT])
    assert context.findings.checks == ["$ref"]


def test_schemas_that_only_refer_are_followed_to_the_end() -> None:
    reference: dict[str, Any] = {"$ref": "#/$defs/A"}
    empty: list[dict[str, Any]] = [{key: value} for key, entry in KEYWORD_TABLE.items() for value in entry.vacuous]
    equal: list[Any] = [{**reference, "title": "An A"}, {"allOf": [reference]}]
    for beside in empty:
        equal += [{**reference, **beside}, {"allOf": [reference, beside]}]
    schema: Json = {"prefixItems": equal, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}}
    places = make_context(schema)
    equal_places = [SchemaPlace(f"/prefixItems/{index}") for index in range(len(equal))]
    assert places.follow_all(equal_places) == (SchemaPlace("/$defs/B"),)


def test_a_circle_of_references_ends_at_the_same_place_from_everywhere() -> None:
    schema: Json = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    for start in ("/$defs/A", "/$defs/B"):
        assert make_context(schema).follow_all([SchemaPlace(start)]) == (SchemaPlace("/$defs/A"),)


def test_a_description_is_found_behind_references() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"description": "An A."}}}
    places = make_context(schema)
    assert places.find_description([ROOT]) == "An A."
    assert places.find_own_description([ROOT]) == ""


def test_reading_places_is_counted() -> None:
    context = NormalizationContext(LoweringRequest("", Schema(True, DRAFT_2020_12), limits=LoweringLimits(unfolding=1)))
    context.budget.count_places(MIN_TYPE_BUDGET * 5)
    with pytest.raises(SchemaTooLarge):
        context.flatten([ROOT])


def test_each_place_is_read_once() -> None:
    schema: Json = {"type": "string", "anyOf": [True]}
    reader = NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12)))
    place = SchemaPlace("", frozenset(["anyOf"]))
    assert reader.read_schema(place) is reader.read_schema(place)
    assert reader.read_schema(ROOT) is schema
    assert reader.flatten([ROOT, ROOT]) == reader.flatten([ROOT])
    assert reader.dialect == DRAFT_2020_12


def test_a_single_all_of_is_followed_only_if_nothing_stands_beside_it() -> None:
    schema: Json = {
        "properties": {"a": {"allOf": [{"type": "string"}]}, "b": {"allOf": [{"type": "string"}], "minLength": 1}}
    }
    places = make_context(schema)
    alone, beside = SchemaPlace("/properties/a"), SchemaPlace("/properties/b")
    assert places.follow_all([alone, beside]) == (SchemaPlace("/properties/a/allOf/0"), beside)
