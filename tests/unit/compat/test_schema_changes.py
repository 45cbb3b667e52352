"""Changes of one schema: gaps as messages with examples, and changed annotations."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.change import Change
from mcpgen.compat.locations import SchemaLocator
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.compat.schema_changes import SchemaComparison
from mcpgen.diagnostics import Severity
from support.compat import make_schema, make_tool

PLAIN = {"type": "object", "properties": {"a b": {"type": "array", "items": {"type": "string"}}}}
NULLABLE = {"type": "object", "properties": {"a b": {"type": "array", "items": {"type": ["string", "null"]}}}}


def compare(category: Category, old: Any, new: Any, *rules: str) -> list[Change]:
    tool = make_tool("get", new)
    enabled = [RULES[id] for id in rules] or list(RULES.values())
    locator = SchemaLocator(tool, new, "outputSchema" if category is Category.OUTPUT else "inputSchema")
    comparison = SchemaComparison('tool "get"', "get", category, make_schema(old), make_schema(new), locator, enabled)
    return comparison.list_changes()


def test_a_wider_result_breaks_and_has_an_example() -> None:
    (change,) = compare(Category.OUTPUT, PLAIN, NULLABLE)
    assert (change.rule.id, change.code, change.breaking) == ("output-became-nullable", "MG801", True)
    assert change.message == 'result["a b"][]: may now be null'
    assert change.help == 'newly valid: {"a b": [null]}'
    assert change.pointer == "/outputSchema/properties/a b/items/type"


def test_the_same_change_of_arguments_is_compatible() -> None:
    assert compare(Category.INPUT, PLAIN, NULLABLE) == []
    (change,) = compare(Category.INPUT, NULLABLE, PLAIN)
    assert change.rule.id == "input-null-refused"
    assert change.message == 'arguments["a b"][]: null is no longer accepted'
    assert change.help == 'no longer valid: {"a b": [null]}'


def test_a_property_of_a_closed_object_has_advice() -> None:
    old: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    (change,) = compare(Category.OUTPUT, old, {**old, "properties": {"wind": {"type": "boolean"}}})
    assert change.rule.id == "output-property-added-to-closed-object"
    example, advice = change.help.split("; ")
    assert example.startswith('newly valid: {"wind": ')
    assert advice == "leave an object that may grow open, without `additionalProperties: false`"


def test_a_gap_keeps_its_rule_when_that_is_disabled() -> None:
    assert compare(Category.OUTPUT, PLAIN, NULLABLE, "output-type-widened") == []


def test_a_change_that_no_value_shows_is_undecided() -> None:
    old, new = {"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a{2,3}$"}
    (change,) = compare(Category.OUTPUT, old, new)
    assert (change.undecided, change.severity) == (True, Severity.WARNING)
    assert change.message.startswith("undecided: result: ")


def test_a_changed_annotation() -> None:
    old, new = {"type": "string", "format": "date"}, {"type": "string", "format": "time"}
    (change,) = compare(Category.OUTPUT, old, new)
    assert (change.rule.id, change.severity) == ("output-format-changed", Severity.WARNING)
    assert change.message == 'format was "date", is "time" now'
    assert change.pointer == "/outputSchema"


def test_equal_schemas_have_no_changes() -> None:
    reordered = {"properties": PLAIN["properties"], "type": "object"}
    assert compare(Category.OUTPUT, PLAIN, reordered) == []
