"""Inclusion of schemas that combine others."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion import keyword_rules
from mcpgen.compat.inclusion.certainty import DisjointnessChecker
from mcpgen.compat.inclusion.conjunction import is_settled, make_conjunction, split_union
from mcpgen.compat.inclusion.equivalence import EquivalenceChecker
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.compat import conjoin, find_gaps, find_rule_gaps, make_view

# --- gaps of anyOf, oneOf, not and if ---------------------------------------------------------------------------------
STRING, SHORT = {"type": "string"}, {"type": "string", "maxLength": 3}
BRANCHES = {"anyOf": [{"type": "integer"}, SHORT]}


def list_combinator_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, bool]]:
    gaps = find_rule_gaps(keyword_rules.COMBINATOR_RULES, producer, consumer, "string")
    return [(gap.kind.name, gap.keyword, gap.certain) for gap in gaps]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        (SHORT, BRANCHES, []),
        (STRING, BRANCHES, [("MAX_LENGTH", "maxLength", True)]),
        (STRING, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, [("VARIANT", "anyOf", True)]),
        (STRING, {"oneOf": [STRING, SHORT]}, [("OVERLAP", "oneOf", False)]),
        (SHORT, {"not": {"type": "string", "minLength": 4}}, []),
        (STRING, {"not": {"type": "string", "minLength": 4}}, [("EXCLUDED", "not", False)]),
        (STRING, {"if": STRING, "then": SHORT}, [("CONDITION", "if", False)]),
        (STRING, {"if": {"type": "null"}, "then": False}, []),
        (STRING, {"if": STRING, "else": False}, []),
        (STRING, {"if": SHORT, "else": {"type": "null"}}, [("CONDITION", "if", False)]),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, bool]]) -> None:
    assert list_combinator_gaps(producer, consumer) == expected


def test_the_hint_quotes_a_schema_without_references_only() -> None:
    (gap,) = find_gaps(STRING, {"not": SHORT})
    assert gap.witness_schema == SHORT
    (gap,) = find_gaps(STRING, {"not": {"$ref": "#/$defs/a"}, "$defs": {"a": SHORT}})
    assert gap.witness_schema is None


def test_the_hint_of_a_condition_is_refused_by_its_consequence() -> None:
    (gap,) = find_gaps(STRING, {"if": STRING, "then": SHORT})
    assert gap.witness_schema == {"allOf": [STRING, {"not": SHORT}]}
    (gap,) = find_gaps(STRING, {"if": {"$ref": "#/$defs/a"}, "then": SHORT, "$defs": {"a": STRING}})
    assert gap.witness_schema is None


def test_a_property_that_ends_like_a_reference_is_quoted() -> None:
    negated = {"type": "object", "properties": {"brief": {"type": "string"}}, "required": ["brief"]}
    (gap,) = find_gaps({"type": "object"}, {"not": negated})
    assert gap.witness_schema == negated


def test_schemas_of_the_other_dialect_are_not_quoted() -> None:
    (gap,) = keyword_rules.find_gaps(make_view(STRING, DRAFT_07), make_view({"not": SHORT}, DRAFT_2020_12))
    assert gap.witness_schema is None


# --- splitting of unions ----------------------------------------------------------------------------------------------
def test_each_branch_becomes_a_case() -> None:
    cases = split_union(conjoin({"anyOf": [{"type": "string"}, {"type": "null"}], "minLength": 1}))
    assert cases is not None
    assert [case.kinds for case in cases] == [{"string"}, {"null"}]
    assert all(case.excluded == () for case in cases)
    assert [split_union(case) for case in cases] == [None, None]


def test_a_branch_of_oneof_excludes_the_others() -> None:
    cases = split_union(conjoin({"oneOf": [{"type": "string"}, {"type": "null"}]}))
    assert cases is not None
    assert [[place.at for place in case.excluded] for case in cases] == [["/oneOf/1"], ["/oneOf/0"]]


def test_unions_are_split_one_after_the_other() -> None:
    cases = split_union(conjoin({"anyOf": [{"minLength": 1}], "oneOf": [{"maxLength": 5}, {"maxLength": 7}]}))
    assert cases is not None
    (case,) = cases
    inner = split_union(case)
    assert inner is not None
    assert [value.find_size("minLength", "maxLength") for value in inner] == [(1, 5), (1, 7)]


def test_an_anyof_with_a_branch_among_the_parts_is_settled() -> None:
    conjunction = conjoin({"anyOf": [{"$ref": "#/$defs/a"}], "$ref": "#/anyOf/0", "$defs": {"a": {}}})
    root = next(part for part in conjunction.parts if not part.at)
    assert is_settled(conjunction, root, "anyOf")
    assert not is_settled(conjoin({"anyOf": [{}]}), root, "anyOf")
    assert split_union(conjunction) is None


# --- conjunctions that have no value in common ------------------------------------------------------------------------
def are_disjoint(first: Any, second: Any) -> bool:
    a, b = conjoin(first), conjoin(second)
    return DisjointnessChecker(EquivalenceChecker(a.view, b.view)).are_disjoint(a, b)


def tagged(tag: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": tag}}, "required": ["kind"]}


@pytest.mark.parametrize(
    ("first", "second", "disjoint"),
    [
        ({"type": "string"}, {"type": "integer"}, True),
        ({"type": "number"}, {"type": "integer"}, False),
        ({"enum": [1, 2]}, {"enum": [3]}, True),
        ({"enum": [1, 2]}, {"minimum": 2}, False),
        ({"type": "number", "maximum": 1}, {"type": "number", "exclusiveMinimum": 1}, True),
        ({"type": "number", "maximum": 1}, {"type": "number", "minimum": 1}, False),
        ({"type": "string", "maxLength": 2}, {"type": "string", "minLength": 3}, True),
        (tagged("a"), tagged("b"), True),
        (tagged("a"), tagged("a"), False),
        ({"type": "object", "required": ["a"]}, {"type": "object", "maxProperties": 0}, True),
        ({"type": "array", "minItems": 3}, {"type": "array", "maxItems": 2}, True),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "array", "items": {"type": "null"}},
            True,
        ),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "null"}}, False),
        (tagged("c"), {"oneOf": [tagged("a"), tagged("b")]}, True),
        ({"oneOf": [tagged("a"), tagged("b")]}, tagged("b"), False),
        ({"type": "string", "not": {"pattern": "a"}}, {"type": "string", "pattern": "a"}, False),
        ({"not": {"pattern": "a", "type": "string"}}, {"pattern": "a", "type": "string"}, True),
    ],
)
def test_pairs(first: Any, second: Any, disjoint: bool) -> None:
    assert are_disjoint(first, second) is disjoint
    assert are_disjoint(second, first) is disjoint


# --- conjunctions of subschemas: their parts and the values of their members ------------------------------------------
def test_references_and_allof_become_parts() -> None:
    conjunction = conjoin(
        {"$ref": "#/$defs/a", "allOf": [{"minimum": 1}], "$defs": {"a": {"type": "number", "not": {"const": 7}}}}
    )
    assert {part.at for part in conjunction.parts} == {"", "/$defs/a", "/allOf/0"}
    assert [location.at for location in conjunction.excluded] == ["/$defs/a/not"]
    assert conjunction.kinds == {"integer", "number"}


def test_false_makes_it_impossible() -> None:
    conjunction = conjoin({"allOf": [True, False]})
    assert conjunction.impossible
    assert conjunction.evidently_empty
    assert conjunction.kinds == frozenset()


def test_the_key_ignores_the_order_of_parts() -> None:
    view = make_view({"properties": {"a": {"minimum": 1}, "b": {"maximum": 2}}})
    a, b = view.get_named_subschemas(view.root, "properties").values()
    assert make_conjunction(view, a, b).key == make_conjunction(view, b, a).key
    assert make_conjunction(view, a).key != make_conjunction(view, b).key


def test_enumerated_values_satisfy_every_enum() -> None:
    conjunction = conjoin({"enum": ["a", 1, "b", None], "allOf": [{"enum": ["b", 1.0, "a"]}, {"minLength": 1}]})
    assert conjunction.list_values("string") == ["a", "b"]
    assert conjunction.list_values("integer") == [1]
    assert conjoin({"type": "string"}).list_values("string") is None


def test_strings_are_listed_where_they_are_few() -> None:
    assert conjoin({"enum": ["a", "bb"], "maxLength": 1}).list_values("string") == ["a"]
    assert conjoin({"maxLength": 0}).list_values("string") == [""]
    assert conjoin({"maxLength": 1}).list_values("string") is None


def test_properties() -> None:
    objects = conjoin(
        {
            "properties": {"a": {"type": "string"}},
            "patternProperties": {"^a": {"minLength": 1}},
            "additionalProperties": {"type": "null"},
            "required": ["z"],
        }
    ).objects
    assert [part.schema for part in objects.get_property("a").parts] == [{"type": "string"}, {"minLength": 1}]
    assert objects.get_property("other").kinds == {"null"}
    assert objects.declared == ["a", "z"]
    assert {tuple(sorted(value.kinds)) for value in objects.list_undeclared(frozenset({"^a"}))} == {("null",)}


def test_property_counts_of_a_closed_object() -> None:
    closed = conjoin({"properties": {"a": {}, "b": {}, "c": False}, "required": ["a"], "additionalProperties": False})
    assert closed.objects.property_counts == (1, 2)
    assert conjoin({"minProperties": 2}).objects.property_counts == (2, None)
    assert conjoin({"propertyNames": {"enum": ["a", "b", "c"]}}).objects.property_counts == (0, 3)


def test_an_assumed_property_brings_its_dependents() -> None:
    schema = {"dependentSchemas": {"a": {"minProperties": 3}}, "dependentRequired": {"a": ["b"], "b": ["c"]}}
    assumed = conjoin(schema).assume_present("a")
    assert assumed.objects.required == {"a", "b", "c"}
    assert assumed.objects.property_counts == (3, None)
    assert conjoin(schema).objects.property_counts == (0, None)


def test_items() -> None:
    conjunction = conjoin({"prefixItems": [{"type": "string"}], "items": {"type": "null"}, "minItems": 1})
    assert conjunction.arrays.prefix_length == 1
    assert conjunction.arrays.get_item(0).kinds == {"string"}
    assert conjunction.arrays.get_item(None).kinds == {"null"}
    assert conjunction.arrays.item_counts == (1, None)
    assert conjoin({"prefixItems": [{}, {}], "items": False}).arrays.item_counts == (0, 2)


def test_excluded_values_are_not_contained() -> None:
    conjunction = conjoin({"type": "integer", "not": {"const": 1}})
    assert conjunction.may_contain(2)
    assert not conjunction.may_contain(1)
    assert not conjunction.may_contain("a")
    assert not conjunction.assume_present("a").may_contain({})
