"""Subschemas that a change leaves without any value; jsonschema-rs confirms that each old value is refused."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from mcpgen.compat.emptied_schemas import EmptiedSchema, find_emptied_schemas
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.emptied_schemas import EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE
from mcpgen.diagnostics import Severity
from support.compat import make_schema

CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
RENAMED = {**CLOSED, "properties": {"b": {"type": "integer"}}}
REASON = '"a" is required, but the schema allows no value for it'


def within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"inner": schema}, "required": ["inner"]}


def refer(schema: Any) -> dict[str, Any]:
    return {**within({"$ref": "#/$defs/Inner"}), "$defs": {"Inner": schema}}


@pytest.mark.parametrize(
    ("old", "new", "expected", "value"),
    [
        (CLOSED, RENAMED, ("", REASON), {"a": 1}),
        (within(CLOSED), within(RENAMED), ("/properties/inner", REASON), {"inner": {"a": 1}}),
        (refer(CLOSED), refer(RENAMED), ("/$defs/Inner", REASON), {"inner": {"a": 1}}),
        ({"type": "array", "items": CLOSED}, {"type": "array", "items": RENAMED}, ("/items", REASON), [{"a": 1}]),
        (
            within({"type": "integer", "minimum": 1}),
            within({"type": "integer", "minimum": 1, "maximum": 0}),
            ("/properties/inner", ""),
            {"inner": 1},
        ),
    ],
)
def test_the_innermost_place_is_found(old: Any, new: Any, expected: tuple[str, str], value: Any) -> None:
    assert [*find_emptied_schemas(make_schema(old), make_schema(new))] == [EmptiedSchema(*expected)]
    assert jsonschema_rs.is_valid(old, value)
    assert not jsonschema_rs.is_valid(new, value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CLOSED, {**RENAMED, "required": ["b"]}),
        (CLOSED, {**RENAMED, "additionalProperties": True}),
        (RENAMED, {**RENAMED, "title": "It had no value before"}),
        ({"not": CLOSED}, {"not": RENAMED}),
        ({"if": CLOSED, "then": CLOSED}, {"if": RENAMED, "then": RENAMED}),
        ({"properties": {"inner": {"type": "string"}}}, {"properties": {"inner": False}}),
    ],
)
def test_other_changes_leave_values(old: Any, new: Any) -> None:
    assert [*find_emptied_schemas(make_schema(old), make_schema(new))] == []


def test_an_emptied_schema_is_an_error() -> None:
    for rule in (EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE):
        assert RULES[rule.id] is rule
        assert rule.severity is Severity.ERROR
