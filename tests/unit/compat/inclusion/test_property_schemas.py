"""Names and schemas of properties under several subschemas."""

from __future__ import annotations

from mcpgen.compat.inclusion.property_schemas import (
    PropertySchemas,
    find_required_names,
    list_undeclared_choices,
)
from support.compat import conjoin


def test_dependent_names_are_required_in_turn() -> None:
    parts = conjoin({"required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"], "x": ["y"]}})
    assert find_required_names(parts.view, parts.parts, frozenset()) == {"a", "b", "c"}
    assert find_required_names(parts.view, parts.parts, frozenset({"x"})) == {"a", "b", "c", "x", "y"}


def test_declared_names_have_no_repetition() -> None:
    parts = conjoin({"properties": {"b": {}, "a": {}}, "allOf": [{"properties": {"a": {}, "c": {}}}]})
    assert sorted(PropertySchemas(parts.view, parts.parts).names) == ["a", "b", "c"]


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
        locations, incomplete = PropertySchemas(parts.view, parts.parts).find(name)
        assert ([location.schema for location in locations], incomplete) == (schemas, False)


def test_unevaluated_properties_may_not_apply() -> None:
    parts = conjoin({"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {"const": 4}})
    schemas = PropertySchemas(parts.view, parts.parts)
    assert schemas.find("a") == ([], True)
    locations, incomplete = schemas.find("b")
    assert ([location.schema for location in locations], incomplete) == ([{"const": 4}], False)


def test_choices_for_undeclared_properties() -> None:
    parts = conjoin({"patternProperties": {"^a": {"const": 1}, "^b": False}, "additionalProperties": {"const": 2}})
    choices, incomplete = list_undeclared_choices(parts.view, parts.parts, frozenset())
    schemas = [[tuple(location.schema for location in alternative) for alternative in part] for part in choices]
    assert (schemas, incomplete) == ([[({"const": 1},), ({"const": 2},)]], False)
    choices, _ = list_undeclared_choices(parts.view, parts.parts, frozenset({"^a"}))
    assert [len(alternatives) for alternatives in choices] == [1]
    conditional = conjoin({"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {"const": 4}})
    assert list_undeclared_choices(conditional.view, conditional.parts, frozenset())[1]
    plain = conjoin({"properties": {"a": {}}, "unevaluatedProperties": {"const": 4}})
    choices, incomplete = list_undeclared_choices(plain.view, plain.parts, frozenset())
    assert ([len(alternatives) for alternatives in choices[0]], incomplete) == ([1], False)
    closed = conjoin({"additionalProperties": False})
    assert list_undeclared_choices(closed.view, closed.parts, frozenset()) == ([[]], False)
