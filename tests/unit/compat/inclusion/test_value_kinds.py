"""Kinds of values that subschemas admit."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.value_kinds import VALUE_KINDS, expand_types
from support.compat import make_view


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


def test_number_includes_integer() -> None:
    assert expand_types(["number", "null"]) == {"number", "integer", "null"}
    assert expand_types(["integer"]) == {"integer"}
