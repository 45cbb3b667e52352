"""Conjunctions of subschemas: their parts and the values of their members."""

from __future__ import annotations

from mcpgen.compat.inclusion.conjunction import make_conjunction
from support.compat import conjoin, make_view


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
    assert conjunction.list_enumerated("string") == ["a", "b"]
    assert conjunction.list_enumerated("integer") == [1]
    assert conjoin({"type": "string"}).list_enumerated("string") is None


def test_strings_are_listed_where_they_are_few() -> None:
    assert conjoin({"enum": ["a", "bb"], "maxLength": 1}).list_strings() == ["a"]
    assert conjoin({"maxLength": 0}).list_strings() == [""]
    assert conjoin({"maxLength": 1}).list_strings() is None


def test_properties() -> None:
    objects = conjoin(
        {
            "properties": {"a": {"type": "string"}},
            "patternProperties": {"^a": {"minLength": 1}},
            "additionalProperties": {"type": "null"},
            "required": ["z"],
        }
    ).objects
    assert [part.schema for part in objects.get_property("a").parts] == [
        {"type": "string"},
        {"minLength": 1},
    ]
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
