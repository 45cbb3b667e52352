"""Properties and items that other keywords may evaluate."""

from __future__ import annotations

from mcpgen.compat.inclusion.unevaluated import EvaluatedItems, EvaluatedProperties
from support.compat import make_view


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
    evaluated = EvaluatedItems(view, view.root)
    assert [index for index in (0, 1, 2, None) if evaluated.may_contain(index)] == [0, 1]
    for keyword in ("items", "contains"):
        view = make_view({"if": {keyword: {}}})
        assert EvaluatedItems(view, view.root).may_contain(None)
