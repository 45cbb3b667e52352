"""Checking generated types against core schemas."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ANY, Alias, Array, Choice, FixedArray, Map, Node, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.core_matching import matches_core
from mcpgen.lower.definition_aliases import AliasMarker, deserves_name, drop_needless_aliases
from mcpgen.lower.normalize.core import Core, make_reference

TEXT = Scalar(ScalarKind.STRING)
INTEGER = Scalar(ScalarKind.INTEGER)
NULL = Scalar(ScalarKind.NULL)


@pytest.mark.parametrize(
    ("core", "node"),
    [
        ({}, ANY),
        ({"type": "string", "minLength": 1}, Scalar(ScalarKind.STRING, (("min_length", 1),))),
        ({"type": "string", "format": "byte"}, Scalar(ScalarKind.BASE64)),
        ({"type": "string", "format": "date"}, Scalar(ScalarKind.DATE)),
        (make_reference("K0"), Ref("K0")),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 3}, Array(TEXT, (("max_length", 3),))),
        ({"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1}, FixedArray((TEXT,))),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Map(INTEGER)),
        ({"enum": ["a", None]}, Choice(("a", None))),
        ({"enum": ["a", None]}, Union((Choice(("a",)), NULL))),
        ({"anyOf": [{"type": "integer"}, {"anyOf": [{"enum": ["a"]}]}]}, Union((Choice(("a",)), INTEGER))),
    ],
)
def test_a_type_that_says_the_same_matches(core: Core, node: Type) -> None:
    assert matches_core(core, node)


@pytest.mark.parametrize(
    ("core", "node"),
    [
        ({}, TEXT),
        ({"type": "string", "minLength": 1}, TEXT),
        ({"type": "string"}, Scalar(ScalarKind.STRING, (("min_length", 1),))),
        ({"type": "string", "format": "date"}, TEXT),
        (make_reference("K0"), Ref("K1")),
        ({"type": "array", "items": {"type": "string"}}, Array(INTEGER)),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, FixedArray((TEXT, TEXT))),
        ({"enum": [1]}, Choice((True,))),
        ({"enum": ["a"]}, Choice(("a", "b"))),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, INTEGER),
        ({"type": "integer"}, Union((INTEGER, NULL))),
    ],
)
def test_any_other_type_does_not(core: Core, node: Type) -> None:
    assert not matches_core(core, node)


def test_nested_types_are_compared_once() -> None:
    core: Core = {"type": "string"}
    node: Type = TEXT
    for _ in range(60):
        core, node = {"type": "array", "items": core}, Array(node)
    assert matches_core(core, node)


# --- definitions that become aliases ----------------------------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)
LEVEL = Choice(("low", "high"))
LEVEL_CORE: Core = {"enum": ["low", "high"]}
SHAPE = Union((Ref("a"), Ref("b")))
SHAPE_CORE: Core = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}
NULL_CORE: Core = {"type": "null"}


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


MARKER = AliasMarker({"Level": (LEVEL_CORE, LEVEL), "Shape": (SHAPE_CORE, SHAPE)})


def find_alias(node: Type) -> str | None:
    return None if isinstance(node, Ref) else node.alias


def test_the_type_of_a_definition_has_its_alias() -> None:
    assert find_alias(MARKER.mark(LEVEL_CORE, LEVEL)) == "Level"
    assert find_alias(MARKER.mark({**LEVEL_CORE}, LEVEL)) is None  # an equal enum elsewhere
    marked = MARKER.mark({"type": "array", "items": LEVEL_CORE}, Array(LEVEL))
    assert isinstance(marked, Array)
    assert (marked.alias, find_alias(marked.item)) == (None, "Level")
    marked = MARKER.mark({"type": "object", "additionalProperties": LEVEL_CORE}, Map(LEVEL))
    assert isinstance(marked, Map)
    assert find_alias(marked.value) == "Level"
    marked = MARKER.mark({"type": "array", "prefixItems": [{}, LEVEL_CORE]}, FixedArray((ANY, LEVEL)))
    assert isinstance(marked, FixedArray)
    assert [*map(find_alias, marked.items)] == [None, "Level"]


def test_members_of_unions_have_their_aliases() -> None:
    marked = MARKER.mark({"anyOf": [LEVEL_CORE, NULL_CORE]}, Union((LEVEL, NULL)))
    assert isinstance(marked, Union)
    assert (marked.alias, *map(find_alias, marked.members)) == (None, "Level", None)


def test_a_union_and_null_has_the_alias_of_the_union() -> None:
    marked = MARKER.mark({"anyOf": [SHAPE_CORE, NULL_CORE]}, Union((Ref("a"), Ref("b"), NULL)))
    assert find_alias(marked) == "Shape"
    marked = MARKER.mark({"anyOf": [SHAPE_CORE, LEVEL_CORE]}, Union((Ref("a"), Ref("b"), LEVEL)))
    assert find_alias(marked) is None


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
