"""Expressions for JSON values."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import (
    Array,
    FixedArray,
    Map,
    Ref,
    Type,
    Union,
)
from mcpgen.render.json_values import render_json_value
from mcpgen.render.unions import NULL
from support.scopes import DATE, SCOPE, STRING


@pytest.mark.parametrize(
    ("type", "expression"),
    [
        (STRING, "value"),
        (DATE, "to_json_value(value)"),
        (Array(STRING), "[*value]"),
        (Array(Array(DATE)), "[[to_json_value(item1) for item1 in item] for item in value]"),
        (FixedArray((STRING, DATE)), "[value[0], to_json_value(value[1])]"),
        (Map(STRING), "{**value}"),
        (Map(DATE), "{key0: to_json_value(item) for key0, item in value.items()}"),
        (Ref("wind"), "value.to_structured_content()"),
        (Ref("tree"), "to_json_value(value)"),
        (Union((Ref("wind"), NULL)), "None if value is None else value.to_structured_content()"),
        (Union((Ref("wind"), STRING)), "value.to_structured_content() if isinstance(value, JsonObject) else value"),
        (Union((Array(STRING), NULL)), "None if value is None else [*value]"),
        (Union((DATE, Array(STRING))), "to_json_value(value)"),
    ],
)
def test_json_values(type: Type, expression: str) -> None:
    assert render_json_value(type, "value", SCOPE) == expression
