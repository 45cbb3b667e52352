"""Keywords of subschemas under their dialect."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.schema_view import (
    VALUE_KINDS,
    Dependent,
    expand_types,
    has_member,
    make_key,
)
from mcpgen.schema.keywords import DRAFT_07
from support.compat import make_view


def test_members_anywhere_inside_a_value() -> None:
    assert has_member({"a": [{"b": {"$ref": "#"}}]}, frozenset(["$ref"]))
    assert not has_member({"brief": "$ref", "a": ["$ref"]}, frozenset(["$ref"]))
    assert not has_member("$ref", frozenset(["$ref"]))


def test_the_dialect_decides_which_keywords_count() -> None:
    schema = {"prefixItems": [True], "additionalItems": False, "minLength": 1}
    new, old = make_view(schema), make_view(schema, DRAFT_07)
    assert [new.has(new.root, keyword) for keyword in schema] == [True, False, True]
    assert [old.has(old.root, keyword) for keyword in schema] == [False, True, True]


def test_draft_07_ignores_keywords_next_to_a_reference() -> None:
    schema = {"$ref": "#/definitions/a", "minLength": 3, "definitions": {"a": {"type": "string"}}}
    assert make_view(schema, DRAFT_07).get_number(make_view(schema, DRAFT_07).root, "minLength") is None
    assert make_view(schema).get_number(make_view(schema).root, "minLength") == 3


def test_only_a_dynamic_reference_makes_a_document_dynamic() -> None:
    assert make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}).dynamic
    assert not make_view({"title": "$dynamicRef"}).dynamic
    assert not make_view({"$defs": {"a": {"$dynamicRef": "#a"}}}, DRAFT_07).dynamic


def test_names_and_numbers() -> None:
    view = make_view({"type": "string", "required": ["a", 1, "b"], "minimum": True, "maximum": 2.5})
    assert view.get_names(view.root, "type") == ["string"]
    assert view.get_names(view.root, "required") == ["a", "b"]
    assert view.get_number(view.root, "minimum") is None
    assert view.get_number(view.root, "maximum") == 2.5


def test_subschemas_have_pointers() -> None:
    view = make_view({"anyOf": [True, {}], "not": {}, "properties": {"a/b": {}, "c": 1}})
    assert [branch.at for branch in view.get_subschemas(view.root, "anyOf")] == ["/anyOf/0", "/anyOf/1"]
    negated = view.get_subschema(view.root, "not")
    assert negated is not None
    assert make_key(negated)[0] == "/not"
    assert {name: place.at for name, place in view.get_named_subschemas(view.root, "properties").items()} == {
        "a/b": "/properties/a~1b"
    }


def test_dependents_of_every_keyword() -> None:
    view = make_view({"dependentRequired": {"a": ["b"]}, "dependencies": {"c": {"type": "object"}}})
    first, second = view.list_dependents(view.root)
    assert first == Dependent("a", ("b",), None, "dependentRequired")
    assert second.schema is not None
    assert (second.trigger, second.schema.at, second.keyword) == ("c", "/dependencies/c", "dependencies")


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        (True, set(VALUE_KINDS)),
        (False, set()),
        ({"type": "number"}, {"number", "integer"}),
        ({"enum": [1.0, "a", 0.5]}, {"integer", "string", "number"}),
        ({"anyOf": [{"type": "null"}, {"const": []}]}, {"null", "array"}),
        ({"allOf": [{"type": ["null", "string"]}, {"type": ["object", "string"]}]}, {"string"}),
        ({"type": ["null", "string"], "not": {"type": "null"}}, {"string"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}}, {"array"}),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, set(VALUE_KINDS)),
    ],
)
def test_kinds(schema: Any, kinds: set[str]) -> None:
    view = make_view(schema)
    assert view.find_kinds(view.root) == kinds


def test_a_recursive_reference_ends() -> None:
    view = make_view({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
    assert view.find_kinds(view.root) == set(VALUE_KINDS)


def test_validation_of_a_subschema() -> None:
    view = make_view({"properties": {"a": {"type": "string"}}})
    place = view.get_named_subschemas(view.root, "properties")["a"]
    assert view.is_valid(place, "x") is True
    assert view.is_valid(place, 1) is False
    dynamic = make_view({"properties": {"a": {"$dynamicRef": "#x"}}, "$defs": {"x": {"$dynamicAnchor": "x"}}})
    assert dynamic.is_valid(dynamic.get_named_subschemas(dynamic.root, "properties")["a"], 1) is None


def test_number_includes_integer() -> None:
    assert expand_types(["number", "null"]) == {"number", "integer", "null"}
    assert expand_types(["integer"]) == {"integer"}
