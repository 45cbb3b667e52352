"""Lowering places to types, each set of them once."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import Core, SchemaPlace, make_reference
from mcpgen.lower.normalize.limits import MAX_TYPE_DEPTH
from mcpgen.lower.normalize.type_lowering import TypeLowering
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

ROOT = (SchemaPlace(""),)


def make_lowering(schema: Json) -> tuple[TypeLowering, list[str]]:
    """Return the lowering after it has lowered the root, and the checks."""
    context = create_context(schema, DRAFT_2020_12)
    types = TypeLowering(context)
    types.lower(ROOT)
    return types, context.findings.checks


@pytest.mark.parametrize(
    ("schema", "core", "checks"),
    [
        (True, {}, []),
        (False, {}, ["false schema"]),
        ({"minLength": 1}, {}, ["minLength"]),
        ({"type": "boolean"}, {"type": "boolean"}, []),
        ({"type": ["null", "string"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, []),
        ({"enum": [1], "type": "integer"}, {"enum": [1]}, []),
        ({"type": "string", "allOf": [{"type": "null"}]}, {}, ["type"]),
        ({"type": "string", "pattern": "a"}, {"type": "string"}, ["pattern"]),
    ],
)
def test_a_schema_becomes_a_core_type(schema: Json, core: Core, checks: list[str]) -> None:
    types, found_checks = make_lowering(schema)
    assert types.lower(ROOT) == core
    assert found_checks == checks


def test_a_type_that_contains_itself_is_an_alias() -> None:
    types, _ = make_lowering({"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]})
    assert types.lower(ROOT) == make_reference("AA0")
    assert types.aliases["AA0"].core == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": make_reference("AA0")}]
    }
    types.cut_direct_recursion()
    assert types.aliases["AA0"].core != {}


def test_an_alias_that_is_itself_becomes_any_value() -> None:
    types, _ = make_lowering({"anyOf": [{"type": "string"}, {"$ref": "#"}]})
    types.cut_direct_recursion()
    assert types.aliases["AA0"].core == {}


def test_an_object_that_contains_itself_needs_no_alias() -> None:
    types, _ = make_lowering({"type": "object", "properties": {"next": {"$ref": "#"}}})
    types.objects.fill_classes()
    assert types.aliases == {}
    assert types.objects.classes["AC0"].properties[0].core == make_reference("AC0")


def test_too_deep_types_are_any_value() -> None:
    schema: Json = {"type": "string"}
    for _ in range(MAX_TYPE_DEPTH):
        schema = {"type": "array", "items": schema}
    types, checks = make_lowering(schema)
    assert types.lower(ROOT) == {}
    assert checks == ["type"]
