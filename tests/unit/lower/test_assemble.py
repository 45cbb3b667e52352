"""Lowering the schemas of a module. What each keyword becomes is in `test_ir_goldens.py`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import pytest
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import (
    ANY,
    NULL,
    Alias,
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.lower.assemble import deserves_name, drop_needless_aliases, lower_modules, lower_schemas
from mcpgen.lower.deadline import DeadlinePassed
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.lower.type_cache import Question, TypeCache
from mcpgen.lower.type_generator import TypeGeneratorFailed
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


class FailingCache(TypeCache):
    """Fails for strings."""

    def find_types(self, questions: Sequence[Question], until: float) -> list[Type]:
        if any(question.core == {"type": "string"} for question in questions):
            raise TypeGeneratorFailed("no strings")
        return super().find_types(questions, until)


def make_requests(*kinds: str) -> list[LoweringRequest]:
    return [LoweringRequest(f"side{index}", Schema({"type": kind}, DRAFT_2020_12)) for index, kind in enumerate(kinds)]


def test_a_schema_that_fails_does_not_spoil_the_others() -> None:
    first, second = lower_schemas(make_requests("string", "integer"), FailingCache())
    assert (first.untyped, first.type) == (True, ANY)
    assert first.notes == (("", "no types could be generated for this schema, so its result is a JSON value"),)
    assert (second.untyped, second.type) == (False, Scalar(ScalarKind.INTEGER))


class LateCache(TypeCache):
    """Is always late."""

    def find_types(self, questions: Sequence[Question], until: float) -> list[Type]:
        assert until > time.monotonic()
        raise DeadlinePassed


@pytest.mark.parametrize("count", [1, 2])
def test_a_timeout_is_told_for_each_schema(count: int) -> None:
    roots = lower_schemas(make_requests(*["boolean"] * count), LateCache())
    assert len(roots) == count
    for root in roots:
        assert root.untyped
        assert "the type generator took longer than 120 s (`limits.seconds`)" in root.notes[0][1]


def test_properties_extras_and_recursive_types_have_their_types() -> None:
    root = lower(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "json": {"$ref": "#/$defs/Nested"}},
            "$defs": {"Nested": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]}},
        }
    )
    node, alias = root.nodes
    assert isinstance(node, ObjectClass)
    assert isinstance(alias, Alias)
    assert root.type == Ref(node.id)
    assert [field.type for field in node.fields] == [Scalar(ScalarKind.STRING), Ref(alias.id)]
    assert node.extra == ANY
    assert alias.type == Union((Array(Ref(alias.id)), NULL))


# --- definitions that become aliases ----------------------------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)
LEVEL = Choice(("low", "high"))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (LEVEL, True),
        (Choice((1, 2)), True),
        (Choice((True, None)), False),
        (STRING, False),
        (ANY, False),
        (Scalar(ScalarKind.STRING, (("min_length", 1),)), True),
        (Union((STRING, Scalar(ScalarKind.INTEGER))), True),
        (Union((STRING, NULL)), False),
        (Union((LEVEL, NULL)), True),
        (Array(STRING), True),
        (FixedArray((STRING,)), True),
        (Map(ANY), True),
        (Ref("a"), False),
    ],
)
def test_all_but_plain_scalars_and_classes_deserve_a_name(node: Type, expected: bool) -> None:
    assert deserves_name(node) is expected


def find_alias(node: Type) -> str | None:
    return None if isinstance(node, Ref) else node.alias


def test_a_property_has_the_alias_of_its_definition() -> None:
    shapes: Json = {"Level": {"enum": ["low", "high"]}, "Text": {"type": "string"}}
    properties: Json = {
        "level": {"$ref": "#/$defs/Level"},
        "levels": {"type": "array", "items": {"$ref": "#/$defs/Level"}},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
        "text": {"$ref": "#/$defs/Text"},
    }
    root = lower({"type": "object", "properties": properties, "required": ["maybe"], "$defs": shapes})
    node, alias = root.nodes
    assert isinstance(node, ObjectClass)
    assert isinstance(alias, Alias)
    assert (alias.type, alias.recursive) == (LEVEL, False)
    level, levels, maybe, text = (field.type for field in node.fields)
    assert (find_alias(level), find_alias(text)) == (alias.id, None)
    assert isinstance(levels, Array)
    assert (find_alias(levels), find_alias(levels.item)) == (None, alias.id)
    assert isinstance(maybe, Union)
    assert (find_alias(maybe), *map(find_alias, maybe.members)) == (None, alias.id, None)


def name(node_id: str, type: Type) -> Alias:
    return Alias(node_id, "", ((node_id,),), type, recursive=False)


def test_unused_aliases_are_dropped() -> None:
    nodes: list[Node] = [name("A", LEVEL), name("B", Array(Choice(("low", "high"), alias="A"))), name("C", LEVEL)]
    root, kept_nodes = drop_needless_aliases(Array(STRING, alias="B"), nodes)
    assert find_alias(root) == "B"
    assert [node.id for node in kept_nodes] == ["A", "B"]


def test_aliases_in_a_circle_are_dropped() -> None:
    tree = Alias("Tree", "", (("tree",),), Array(Ref("Tree"), alias="A"))
    root, kept_nodes = drop_needless_aliases(Ref("Tree"), [tree, name("A", Array(Ref("Tree")))])
    assert root == Ref("Tree")
    (node,) = kept_nodes
    assert isinstance(node, Alias)
    assert find_alias(node.type) is None
