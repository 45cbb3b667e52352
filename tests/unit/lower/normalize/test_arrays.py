"""Lowering arrays and tuples."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from mcpgen.lower.normalize.arrays import lower_array
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json


def name_places(places: Iterable[SchemaPlace], tag: str = "") -> Core:
    """Stand in for the lowering of items: a type that shows the pointers."""
    return {"enum": [place.pointer for place in places]}


def make_context(dialect: str = DRAFT_2020_12, members: int = 10) -> NormalizationContext:
    return create_context(True, dialect, limits=LoweringLimits(members=members))


def lower(context: NormalizationContext, *schemas: dict[str, Json]) -> Core:
    parts = tuple(SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas))
    return lower_array(parts, context, name_places)


def test_items_satisfy_all_parts() -> None:
    context = make_context()
    assert lower(context, {"items": {}, "minItems": 1}, {"items": {}, "maxItems": 4}) == {
        "type": "array",
        "items": {"enum": ["/0/items", "/1/items"]},
        "minItems": 1,
        "maxItems": 4,
    }
    assert context.findings.checks == []


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        (DRAFT_2020_12, {"prefixItems": [{}, {}], "items": False, "minItems": 2}),
        (DRAFT_2020_12, {"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2}),
        (DRAFT_07, {"items": [{}, {}], "additionalItems": False, "minItems": 2}),
    ],
)
def test_closed_arrays_of_required_items_are_tuples(dialect: str, schema: dict[str, Json]) -> None:
    context = make_context(dialect)
    core = lower(context, schema)
    assert (core["items"], core["minItems"], core["maxItems"]) == (False, 2, 2)
    assert isinstance(core["prefixItems"], list)
    assert len(core["prefixItems"]) == 2
    assert context.findings.checks == []


def test_open_tuples_accept_the_types_of_all_items() -> None:
    context = make_context()
    assert lower(context, {"prefixItems": [{}], "items": {}}) == {
        "type": "array",
        "items": {"anyOf": [{"enum": ["/0/prefixItems/0"]}, {"enum": ["/0/items"]}]},
    }
    assert context.findings.checks == ["prefixItems"]


def test_a_closed_tuple_keeps_the_tighter_number_of_items() -> None:
    closed: dict[str, Json] = {"prefixItems": [{}, {}], "items": False}
    assert lower(make_context(), closed)["maxItems"] == 2
    assert lower(make_context(), {**closed, "maxItems": 1})["maxItems"] == 1


def test_two_tuples_are_left_to_the_check() -> None:
    context = make_context()
    assert lower(context, {"prefixItems": [{}]}, {"prefixItems": [{}]}) == {"type": "array", "items": {}}
    assert context.findings.checks == ["prefixItems"]


def test_an_array_that_must_be_empty_is_left_to_the_check() -> None:
    context = make_context()
    assert lower(context, {"items": False}) == {"type": "array", "items": {}}
    assert context.findings.checks == ["items"]


def test_too_long_tuples_are_left_to_the_check() -> None:
    context = make_context(members=1)
    assert lower(context, {"prefixItems": [{}, {}]}) == {"type": "array", "items": {}}
    assert [pointer for pointer, _ in context.findings.notes] == ["/0"]
