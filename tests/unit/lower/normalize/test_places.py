"""Reading places: references, flattening, descriptions."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.findings import NormalizationFindings
from mcpgen.lower.normalize.limits import MIN_TYPE_BUDGET, LoweringBudget, LoweringLimits, SchemaTooLarge
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json

ROOT = SchemaPlace("")


def make_context(schema: Json, dialect: str = DRAFT_2020_12) -> NormalizationContext:
    return create_context(schema, dialect)


def flatten(schema: Json, dialect: str = DRAFT_2020_12) -> list[str] | None:
    """Return the pointers of a root's parts."""
    parts = make_context(schema, dialect).places.flatten([ROOT])
    return None if parts is None else [part.place.pointer for part in parts]


def test_absent_keywords_are_left_out() -> None:
    places = make_context({"type": "string", "anyOf": [True]}).places
    assert places.read_schema(SchemaPlace("", frozenset(["anyOf"]))) == {"type": "string"}


def test_all_of_and_references_are_taken_apart() -> None:
    schema: Json = {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}], "$defs": {"A": {"minLength": 1}}}
    assert flatten(schema) == ["", "/allOf/0", "/$defs/A", "/allOf/1"]


def test_parts_do_not_contain_what_was_taken_apart() -> None:
    parts = make_context({"allOf": [{"type": "string"}], "minLength": 1}).places.list_parts([ROOT])
    assert [part.schema for part in parts] == [{"minLength": 1}, {"type": "string"}]


def test_false_leaves_no_parts() -> None:
    places = make_context({"allOf": [False]}).places
    assert places.flatten([ROOT]) is None
    assert places.list_parts([ROOT]) == ()


def test_true_adds_nothing() -> None:
    assert flatten({"allOf": [True]}) == [""]


def test_keywords_beside_a_draft_07_reference_do_not_count() -> None:
    schema: Json = {"$ref": "#/definitions/A", "minLength": 1, "definitions": {"A": {"type": "string"}}}
    assert flatten(schema, DRAFT_07) == ["/definitions/A"]


def test_a_reference_out_of_the_document_needs_the_check() -> None:
    context = make_context({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    context.places.flatten([ROOT])
    assert context.findings.checks == ["$ref"]


def test_schemas_that_only_refer_are_followed_to_the_end() -> None:
    schema: Json = {
        "properties": {"a": {"$ref": "#/$defs/A", "title": "An A"}, "b": {"allOf": [{"$ref": "#/$defs/A"}]}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}},
    }
    places = make_context(schema).places
    assert places.follow_all([SchemaPlace("/properties/a"), SchemaPlace("/properties/b")]) == (SchemaPlace("/$defs/B"),)


def test_a_circle_of_references_ends_at_the_same_place_from_everywhere() -> None:
    schema: Json = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    for start in ("/$defs/A", "/$defs/B"):
        assert make_context(schema).places.follow_all([SchemaPlace(start)]) == (SchemaPlace("/$defs/A"),)


def test_a_description_is_found_behind_references() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"description": "An A."}}}
    places = make_context(schema).places
    assert places.find_description([ROOT]) == "An A."
    assert places.find_own_description([ROOT]) == ""


def test_reading_places_is_counted() -> None:
    context = create_context(True, DRAFT_2020_12, limits=LoweringLimits(unfolding=1))
    context.budget.count_places(MIN_TYPE_BUDGET * 5)
    with pytest.raises(SchemaTooLarge):
        context.places.flatten([ROOT])


def test_each_place_is_read_once() -> None:
    schema: Json = {"type": "string", "anyOf": [True]}
    index, limits = SchemaIndex(schema, DRAFT_2020_12), LoweringLimits()
    reader = PlaceReader(index, LoweringBudget(limits, 1), NormalizationFindings(limits))
    place = SchemaPlace("", frozenset(["anyOf"]))
    assert reader.read_schema(place) is reader.read_schema(place)
    assert reader.read_schema(ROOT) is schema
    assert reader.flatten([ROOT, ROOT]) == reader.flatten([ROOT])
    assert reader.dialect == DRAFT_2020_12


def test_a_single_all_of_is_followed_only_if_nothing_stands_beside_it() -> None:
    schema: Json = {
        "properties": {"a": {"allOf": [{"type": "string"}]}, "b": {"allOf": [{"type": "string"}], "minLength": 1}}
    }
    places = make_context(schema).places
    alone, beside = SchemaPlace("/properties/a"), SchemaPlace("/properties/b")
    assert places.follow_all([alone, beside]) == (SchemaPlace("/properties/a/allOf/0"), beside)
