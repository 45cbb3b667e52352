"""Inclusion of objects."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.gap import Gap, merge_gaps
from mcpgen.compat.inclusion.checker import KeywordRule
from mcpgen.compat.inclusion.conjunction import EvaluatedProperties, may_evaluate_item
from mcpgen.compat.inclusion.keyword_rules import OBJECT_RULES, list_compared_names
from support.compat import conjoin, find_rule_gaps, make_view

# --- gaps of object keywords other than those for the values of properties --------------------------------------------
OPEN = {"type": "object"}


def select_rules(*keywords: str) -> list[KeywordRule]:
    return [rule for rule in OBJECT_RULES if not {*keywords}.isdisjoint(rule.keywords)]


def list_object_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, str, bool]]:
    gaps = find_rule_gaps(OBJECT_RULES, producer, consumer, "object")
    return [(gap.kind.name, gap.keyword, gap.name, gap.certain) for gap in gaps]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ({**OPEN, "properties": {"a": {"type": "null"}}}, {"required": ["a"]}, [("REQUIRED", "required", "a", True)]),
        (OPEN, {"required": ["a"]}, [("UNDECLARED", "required", "a", True)]),
        ({**OPEN, "minProperties": 1}, {"required": ["a"]}, [("UNDECLARED", "required", "a", False)]),
        ({**OPEN, "required": ["a"]}, {"required": ["a"]}, []),
        (OPEN, {"minProperties": 1}, [("MIN_PROPERTIES", "minProperties", "", True)]),
        ({**OPEN, "required": ["a"]}, {"minProperties": 1}, []),
        (OPEN, {"maxProperties": 1}, [("MAX_PROPERTIES", "maxProperties", "", True)]),
        (OPEN, {"dependentRequired": {"a": ["b"]}}, [("DEPENDENT", "dependentRequired", "a", True)]),
        ({**OPEN, "required": ["b"]}, {"dependentRequired": {"a": ["b"]}}, []),
        ({**OPEN, "properties": {"a": False}}, {"dependentRequired": {"a": ["b"]}}, []),
        (OPEN, {"dependentSchemas": {"a": {"minProperties": 5}}}, [("DEPENDENT", "dependentSchemas", "a", False)]),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, str, bool]]) -> None:
    assert list_object_gaps(producer, consumer) == expected


# --- gaps of the values of properties ---------------------------------------------------------------------------------
STRING = {"type": "string"}
DECLARED = {"type": "object", "properties": {"a": STRING}}
DECLARED_ALONE = {**DECLARED, "additionalProperties": False}


def list_property_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, tuple[str, ...], bool]]:
    gaps = find_rule_gaps(select_rules("additionalProperties", "unevaluatedProperties"), producer, consumer, "object")
    return [(gap.kind.name, gap.name, gap.path, gap.certain) for gap in merge_gaps(gaps)]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        (DECLARED, {"properties": {"a": {"type": "null"}}}, [("TYPE", "", ("a",), True)]),
        ({"type": "object"}, DECLARED, [("UNTYPED", "a", (), True)]),
        (DECLARED, DECLARED_ALONE, [("OPEN", "", (), True)]),
        ({**DECLARED_ALONE, "properties": {"a": STRING, "b": STRING}}, DECLARED_ALONE, [("EXTRA", "b", (), True)]),
        (DECLARED, {"additionalProperties": STRING}, [("UNTYPED_OTHERS", "", (), True)]),
        (DECLARED_ALONE, {"additionalProperties": STRING}, []),
        (DECLARED_ALONE, {"patternProperties": {"^a": {"type": "null"}}}, [("TYPE", "", ("a",), True)]),
        (DECLARED, {"patternProperties": {"^x": {"type": "null"}}}, [("UNTYPED_OTHERS", "", (), False)]),
        (
            {"type": "object", "patternProperties": {"^x": STRING}},
            {"patternProperties": {"^x": {"type": "null"}}},
            [("TYPE", "", ("*",), False)],
        ),
        (DECLARED, {"unevaluatedProperties": False}, [("EXTRA", "a", (), True), ("OPEN", "", (), True)]),
        (DECLARED_ALONE, {"properties": {"a": True}, "unevaluatedProperties": False}, []),
        (
            DECLARED_ALONE,
            {"anyOf": [{"properties": {"a": True}}, True], "unevaluatedProperties": False},
            [("EXTRA", "a", (), False)],
        ),
        ({"type": "object", "propertyNames": {"const": "a"}}, DECLARED_ALONE, [("UNTYPED", "a", (), True)]),
    ],
)
def test_gaps_of_properties(
    producer: Any, consumer: Any, expected: list[tuple[str, str, tuple[str, ...], bool]]
) -> None:
    assert list_property_gaps(producer, consumer) == expected


def test_a_new_required_property_has_one_gap() -> None:
    assert list_property_gaps({"type": "object"}, {**DECLARED, "required": ["a"]}) == []


# --- gaps of propertyNames --------------------------------------------------------------------------------------------
def find_name_gaps(producer: Any, consumer: Any) -> list[Gap]:
    return find_rule_gaps(select_rules("propertyNames"), producer, consumer, "object")


def test_compared_names() -> None:
    assert list_compared_names(conjoin({"properties": {"b": True}}).objects, ["a", "b"]) == (["a", "b"], False)
    assert list_compared_names(conjoin({"propertyNames": {"enum": ["x", "y"]}}).objects, ["a"]) == (["x", "y"], True)


def test_declared_names_are_validated() -> None:
    (gap,) = find_name_gaps({"properties": {"a": {}, "bb": {}, "cc": False}}, {"propertyNames": {"maxLength": 1}})
    assert (gap.values, gap.witness_schema, gap.certain) == (('"bb"',), {"required": ["bb"]}, True)


def test_undeclared_names_are_compared_as_strings() -> None:
    consumer = {"propertyNames": {"maxLength": 3}}
    (gap,) = find_name_gaps({"type": "object"}, consumer)
    assert not gap.certain
    assert find_name_gaps({"type": "object", "propertyNames": {"maxLength": 2}}, consumer) == []
    assert find_name_gaps({"type": "object", "additionalProperties": False}, consumer) == []


def test_the_same_schema_for_names_is_no_gap() -> None:
    schema = {"propertyNames": {"pattern": "^a"}}
    assert find_name_gaps({"type": "object", **schema}, schema) == []
    (gap,) = find_name_gaps({"type": "object"}, schema)
    assert gap.constraint == {"pattern": "^a"}
    assert find_name_gaps({"type": "object"}, {"minProperties": 1}) == []


# --- names and schemas of properties under several subschemas ---------------------------------------------------------
def test_dependent_names_are_required_in_turn() -> None:
    parts = conjoin({"required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"], "x": ["y"]}})
    assert parts.objects.required == {"a", "b", "c"}
    assert parts.assume_present("x").objects.required == {"a", "b", "c", "x", "y"}


def test_declared_names_have_no_repetition() -> None:
    parts = conjoin({"properties": {"b": {}, "a": {}}, "allOf": [{"properties": {"a": {}, "c": {}}}]})
    assert sorted(parts.objects.names) == ["a", "b", "c"]


def test_additional_properties_apply_where_nothing_else_does() -> None:
    parts = conjoin(
        {
            "properties": {"a": {"const": 1}},
            "patternProperties": {"^a": {"const": 2}},
            "additionalProperties": {"const": 3},
        }
    )
    expected = {"a": [{"const": 1}, {"const": 2}], "ab": [{"const": 2}], "b": [{"const": 3}]}
    for name, schemas in expected.items():
        locations, incomplete = parts.objects.find_schemas(name)
        assert ([location.schema for location in locations], incomplete) == (schemas, False)


def test_unevaluated_properties_may_not_apply() -> None:
    parts = conjoin({"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {"const": 4}})
    schemas = parts.objects
    assert schemas.find_schemas("a") == ([], True)
    locations, incomplete = schemas.find_schemas("b")
    assert ([location.schema for location in locations], incomplete) == ([{"const": 4}], False)


def test_choices_for_undeclared_properties() -> None:
    parts = conjoin({"patternProperties": {"^a": {"const": 1}, "^b": False}, "additionalProperties": {"const": 2}})
    choices, incomplete = parts.objects.list_undeclared_choices(frozenset())
    schemas = [[tuple(location.schema for location in alternative) for alternative in part] for part in choices]
    assert (schemas, incomplete) == ([[({"const": 1},), ({"const": 2},)]], False)
    choices, _ = parts.objects.list_undeclared_choices(frozenset({"^a"}))
    assert [len(alternatives) for alternatives in choices] == [1]
    conditional = conjoin({"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {"const": 4}})
    assert conditional.objects.list_undeclared_choices(frozenset())[1]
    plain = conjoin({"properties": {"a": {}}, "unevaluatedProperties": {"const": 4}})
    choices, incomplete = plain.objects.list_undeclared_choices(frozenset())
    assert ([len(alternatives) for alternatives in choices[0]], incomplete) == ([1], False)
    closed = conjoin({"additionalProperties": False})
    assert closed.objects.list_undeclared_choices(frozenset()) == ([[]], False)


# --- properties and items that other keywords may evaluate ------------------------------------------------------------
def test_properties_of_applied_subschemas_are_evaluated() -> None:
    view = make_view(
        {
            "properties": {"a": {}},
            "patternProperties": {"^x": {}},
            "anyOf": [{"properties": {"b": {}}}],
            "dependentSchemas": {"a": {"properties": {"c": {}}}},
            "$ref": "#/$defs/d",
            "$defs": {"d": {"then": {"properties": {"e": {}}}}, "other": {"properties": {"z": {}}}},
        }
    )
    evaluated = EvaluatedProperties(view, view.root)
    assert evaluated.names == {"a", "b", "c", "e"}
    assert evaluated.conditional
    assert [name for name in ("a", "xy", "y", "z") if evaluated.may_contain(name)] == ["a", "xy"]


def test_a_plain_object_is_not_conditional() -> None:
    view = make_view({"properties": {"a": {}}})
    evaluated = EvaluatedProperties(view, view.root)
    assert not evaluated.conditional
    assert not evaluated.all


def test_additional_properties_evaluate_all() -> None:
    view = make_view({"allOf": [{"additionalProperties": {"type": "null"}}]})
    assert EvaluatedProperties(view, view.root).may_contain("anything")


def test_items_of_applied_subschemas_are_evaluated() -> None:
    view = make_view({"prefixItems": [{}], "oneOf": [{"prefixItems": [{}, {}]}]})
    assert [index for index in (0, 1, 2, None) if may_evaluate_item(view, view.root, index)] == [0, 1]
    for keyword in ("items", "contains"):
        view = make_view({"if": {keyword: {}}})
        assert may_evaluate_item(view, view.root, None)
