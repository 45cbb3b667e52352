"""Lowering alternatives, and finding what tells them apart."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.lower.normalize.alternatives import find_alternatives, list_branches
from mcpgen.lower.normalize.constraints import intersect_types
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, SchemaPart, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.normalize.unions import UnionLowering, find_tags
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

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
    context = context or create_context(schema, DRAFT_2020_12)
    parts = context.places.list_parts([ROOT])
    core = UnionLowering(context, name_places, name_types).lower_union(parts, intersect_types(parts), "")
    return core, context.findings.checks


def test_alternatives_of_all_parts_are_found() -> None:
    parts = create_context({"allOf": [{"anyOf": [True, True]}], "oneOf": [True]}, DRAFT_2020_12).places.list_parts(
        [ROOT]
    )
    assert [(alternative.part.place.pointer, alternative.keyword) for alternative in find_alternatives(parts)] == [
        ("", "oneOf"),
        ("/allOf/0", "anyOf"),
    ]
    assert list_branches(parts[1], "anyOf") == [SchemaPlace("/allOf/0/anyOf/0"), SchemaPlace("/allOf/0/anyOf/1")]


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
    context = create_context({"oneOf": [CIRCLE, CIRCLE]}, DRAFT_2020_12)
    assert find_tags([SchemaPlace("/oneOf/0"), SchemaPlace("/oneOf/1")], (), context.places) == []


def test_no_possible_branch_is_any_value_with_a_note() -> None:
    context = create_context({"anyOf": [False]}, DRAFT_2020_12)
    assert lower(True, context) == ({}, ["anyOf"])
    assert len(context.findings.notes) == 1


def test_too_many_branches_are_left_to_the_check() -> None:
    schema: Json = {"type": ["string", "null"], "anyOf": [{"type": "string"}, {"type": "null"}]}
    context = create_context(schema, DRAFT_2020_12, limits=LoweringLimits(members=1))
    assert lower(schema, context) == ({"enum": ["null", "string"]}, ["anyOf"])
