"""Lowering the schemas of a module. What each keyword becomes is in `test_ir_goldens.py`."""

from __future__ import annotations

import sys

import pytest
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, ObjectClass, Ref, Scalar, ScalarKind
from mcpgen.lower.assemble import lower_modules, lower_schemas
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.type_cache import TypeCache
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


def lower(schema: Json, limits: LoweringLimits | None = None, seconds: float = 60) -> SchemaRoot:
    request = LoweringRequest(
        "output", Schema(schema, DRAFT_2020_12), limits=limits or LoweringLimits(), seconds=seconds
    )
    (root,) = lower_schemas([request], TypeCache())
    return root


def test_schemas_of_one_module_have_ids_of_their_own() -> None:
    schema = Schema({"type": "object"}, DRAFT_2020_12)
    first, second = lower_schemas([LoweringRequest("input", schema), LoweringRequest("output", schema)])
    assert (first.type, second.type) == (Ref("input:"), Ref("output:"))


def test_modules_are_lowered_together_as_each_alone() -> None:
    kinds: list[Json] = ["string", ["integer", "null"], "array", "boolean"]
    modules = [
        [
            LoweringRequest(side, Schema({"properties": {"a": {"type": kind}, "b": {"enum": [kind]}}}, DRAFT_2020_12))
            for side in ("input", "output")
        ]
        for kind in kinds
    ]
    assert lower_modules(modules, TypeCache()) == [lower_schemas(requests, TypeCache()) for requests in modules]
    assert lower_modules([]) == []


def test_a_chosen_class_name_is_the_only_candidate() -> None:
    schema = Schema({"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}, DRAFT_2020_12)
    (root,) = lower_schemas([LoweringRequest("input", schema, (("", "Chosen"),))])
    assert root.nodes[0].name_candidates == (("Chosen",),)


@pytest.mark.parametrize(
    ("schema", "wrapper"),
    [
        ({"title": "addOutput"}, True),
        ({"x-fastmcp-wrap-result": True}, True),
        ({"x-dedalus-box": {"field": "result"}}, True),
        ({}, False),
        ({"title": "Sum"}, False),
    ],
)
def test_wrappers_of_bare_values_are_recognized(schema: dict[str, Json], wrapper: bool) -> None:
    base: dict[str, Json] = {"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]}
    assert lower({**base, **schema}).wrapper is wrapper
    assert not lower({**base, **schema, "required": []}).wrapper


def test_a_schema_that_is_too_large_has_no_types() -> None:
    root = lower({"properties": {"a": True}, "type": "object"}, LoweringLimits(classes=0))
    assert root.untyped
    assert root.checks == ("$schema",)
    assert root.nodes == (ObjectClass("output:", "", ((),), (), ANY),)
    assert "limits.classes" in root.notes[0][1]


def test_a_schema_for_which_time_is_up_has_no_types() -> None:
    root = lower({"type": "string", "description": "A text."}, seconds=0)
    assert (root.untyped, root.type, root.description) == (True, ANY, "A text.")
    assert "limits.seconds" in root.notes[0][1]


def test_a_schema_that_is_too_large_does_not_spoil_the_others() -> None:
    large: Json = {"type": "object", "properties": {"a": True}}
    limits = LoweringLimits(classes=0)
    requests = [
        LoweringRequest("input", Schema(large, DRAFT_2020_12), limits=limits),
        LoweringRequest("output", Schema({"type": "integer"}, DRAFT_2020_12), limits=limits),
    ]
    first, second = lower_schemas(requests)
    assert (first.untyped, second.untyped) == (True, False)
    assert second.type == Scalar(ScalarKind.INTEGER)


def test_deep_schemas_are_lowered_and_the_recursion_limit_is_restored() -> None:
    before = sys.getrecursionlimit()
    schema: Json = {"type": "string"}
    for _ in range(290):
        schema = {"type": "array", "items": schema}
    assert lower(schema).checks == ("type",)
    assert sys.getrecursionlimit() == before
