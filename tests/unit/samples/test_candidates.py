"""Allowed types, allowed values and examples."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.samples.candidates import choose_type, find_allowed_types, find_allowed_values, find_examples
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.schema.values import JSON_TYPES
from support.draws import make_context


def test_types_of_all_schemas_are_intersected() -> None:
    context = make_context({"type": ["string", "number", "null"], "not": {"type": "null"}})
    assert find_allowed_types(context, [context.document.root]) == {"string", "number", "integer"}


def test_no_type_may_be_left() -> None:
    context = make_context({"type": "string", "not": {"type": "string"}})
    with pytest.raises(Unsatisfiable):
        find_allowed_types(context, [context.document.root])


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"minimum": 1}, None),
        ({"enum": [1, 2, 3], "const": 2.0}, [2]),
        ({"enum": [1, True, "a"], "not": {"enum": [1]}}, [True, "a"]),
        ({"enum": ["a"], "not": {"const": "a"}}, []),
    ],
)
def test_values_of_enum_and_const(schema: Any, values: Any) -> None:
    assert find_allowed_values([make_context(schema).document.root]) == values


def test_examples_and_defaults_of_the_right_type() -> None:
    context = make_context({"examples": ["a", "b"], "default": 1}, style=DrawStyle.EXAMPLES)
    assert find_examples(context, [context.document.root], {"string"}) == ["a"]
    assert find_examples(context, [context.document.root], {"integer"}) == [1]
    assert find_examples(context, [context.document.root], {"null"}) == []
    context = make_context({"default": 1}, style=DrawStyle.EXAMPLES)
    assert find_examples(context, [context.document.root], {"integer"}) == [1]
    context = make_context({"default": 1}, style=DrawStyle.FIRST)
    assert find_examples(context, [context.document.root], {"integer"}) == []


def test_keywords_suggest_a_type() -> None:
    for schema, expected in (({"minItems": 1}, "array"), ({"pattern": "a"}, "string"), ({"maximum": 1}, "number")):
        context = make_context(schema, style=DrawStyle.FIRST)
        assert choose_type(context, set(JSON_TYPES), [context.document.root]) == expected
    context = make_context({}, style=DrawStyle.FIRST)
    assert choose_type(context, {"null", "boolean"}, [context.document.root]) == "boolean"
