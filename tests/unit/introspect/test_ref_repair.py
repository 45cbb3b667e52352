"""Repair of references that a wrapper broke."""

from __future__ import annotations

import time
from typing import Any

import jsonschema_rs
from mcpgen.introspect.ref_repair import repair_references
from mcpgen.schema.keywords import DRAFT_2020_12


def test_references_that_a_wrapper_broke() -> None:
    day = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Day"}}, "required": ["rain"]}
    broken: Any = {"properties": {"result": {"$defs": {"Day": day}, "items": {"$ref": "#/$defs/Day"}}}}
    right, refs = repair_references(broken, DRAFT_2020_12)
    assert refs == ["#/$defs/Day"]
    validator = jsonschema_rs.Draft202012Validator(right)  # type: ignore[arg-type]
    assert validator.is_valid({"result": [{"rain": 1, "next": {"rain": 2}}]})
    assert not validator.is_valid({"result": [{"rain": 1, "next": {}}]})
    nowhere: Any = {"$ref": "#/$defs/nowhere"}
    other: Any = {"items": {"$ref": "other.json"}, "const": {"$ref": "#/$defs/A"}}
    for fine in (right, nowhere, other):
        assert repair_references(fine, DRAFT_2020_12) == (fine, [])


def test_a_schema_with_many_properties_is_put_right_once() -> None:
    """A holder of subschemas is copied once, not for each of them: the work grows with the properties."""
    properties: Any = {f"p{number}": {"type": "string"} for number in range(20_000)}
    schema: Any = {"type": "object", "properties": properties, "allOf": [{}, {"minimum": 1}]}
    start = time.process_time()
    assert repair_references(schema, DRAFT_2020_12) == (schema, [])
    assert time.process_time() - start < 10, "it was 40 s for 20,000"
