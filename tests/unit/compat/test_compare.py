"""Comparison of definitions, and of schemas against oracles.

The oracles are jsonschema-rs on drawn values, and changes to real schemas whose effect is known.
"""

from __future__ import annotations

from random import Random

import pytest
from mcpgen.compat.compare import PackageSnapshot, compare_definitions
from mcpgen.compat.python_names import PythonNames
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.compat import make_resource, make_tool
from support.corpus import SOURCES, tools_of
from support.diff_oracle import Tally, corpus_pairs, counterexample, known_changes, random_pair, verdict


@pytest.mark.ci
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_compatible_is_never_said_wrongly(start: int) -> None:
    tally = Tally()
    for seed in range(start, start + 20):
        random_pair(seed, 40, tally)
    assert tally.wrong == []
    assert tally.counts["compatible"] >= 3
    assert tally.counts["breaking"] >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 1_500, 50))
def test_compatible_is_never_said_wrongly_at_length(start: int) -> None:
    tally = Tally()
    for seed in range(start, start + 50):
        random_pair(seed, 200, tally)
    assert tally.wrong == []


@pytest.mark.skipif(not SOURCES, reason="../shared is not there")
def test_changes_to_real_schemas() -> None:
    tally = Tally()
    for source in SOURCES[::6]:
        if len(tools_of(source)) < 30:
            tally.add(corpus_pairs(source, 1, 3))
    assert tally.wrong == []
    assert tally.counts["schemas"] > 20


@pytest.mark.slow
@pytest.mark.skipif(not SOURCES, reason="../shared is not there")
@pytest.mark.parametrize("source", SOURCES)
def test_ten_changes_to_each_real_schema(source: str) -> None:
    tally = corpus_pairs(source, 10, 5)
    assert tally.wrong == []


def test_the_oracle_finds_what_is_wrong() -> None:
    producer: Json = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    consumer: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert counterexample(producer, consumer, DRAFT_2020_12, 50) != []
    assert counterexample(consumer, producer, DRAFT_2020_12, 50) == []
    assert verdict(producer, consumer, DRAFT_2020_12)[0] == "breaking"
    effects = {(item.widens, item.narrows) for item in known_changes(consumer, DRAFT_2020_12, 60, Random(1))}
    assert effects == {(False, False), (False, True), (True, False), (True, True)}


TEXT: Json = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NUMBER: Json = {"type": "object", "properties": {"text": {"type": "number"}}, "required": ["text"]}
NAMES = PythonNames("get", ("GetResult",), frozenset({"GetResult"}), {("GetResult", "text"): "text"})


def make_snapshot(
    *definitions: ToolDefinition | ResourceDefinition, names: PythonNames | None = None
) -> PackageSnapshot:
    tools = [definition for definition in definitions if isinstance(definition, ToolDefinition)]
    resources = [definition for definition in definitions if isinstance(definition, ResourceDefinition)]
    by_tool = {tool.name: names for tool in tools if names is not None}
    return PackageSnapshot(Definitions(tools, resources), by_tool, {}, names.classes if names else frozenset())


def test_changes_are_sorted_by_subject() -> None:
    old = make_snapshot(make_tool("b", TEXT), make_tool("a", TEXT), make_resource("r", uri="x://1", mimeType="a/b"))
    new = make_snapshot(make_tool("b", NUMBER), make_resource("r", uri="x://1", mimeType="a/c"))
    changes = compare_definitions(old, new)
    assert [(change.subject, change.rule.id) for change in changes] == [
        ('resource "r"', "resource-mime-type-changed"),
        ('tool "a"', "tool-removed"),
        ('tool "b"', "output-type-widened"),
    ]
    assert compare_definitions(old, old) == []


def test_rules_and_categories_are_disabled() -> None:
    old, new = make_snapshot(make_tool("a", TEXT), make_tool("b", TEXT)), make_snapshot(make_tool("b", NUMBER))
    assert [change.name for change in compare_definitions(old, new, frozenset({"tools"}))] == ["b"]
    assert [change.name for change in compare_definitions(old, new, frozenset({"output-type-widened"}))] == ["a"]


def test_python_names_are_compared() -> None:
    renamed = PythonNames("get", ("GetOutput",), frozenset({"GetOutput"}), {("GetOutput", "text"): "text"})
    old, new = make_snapshot(make_tool("a", TEXT), names=NAMES), make_snapshot(make_tool("a", TEXT), names=renamed)
    (change,) = compare_definitions(old, new)
    assert (change.rule.id, change.text) == ("name-class-changed", "its class was GetResult, is GetOutput now")
    assert compare_definitions(old, make_snapshot(make_tool("a", TEXT))) == []


def test_the_payload_of_a_resource_is_compared_as_a_result() -> None:
    old, new = make_snapshot(make_resource("r", TEXT)), make_snapshot(make_resource("r", NUMBER))
    (change,) = compare_definitions(old, new)
    assert (change.rule.id, change.pointer) == ("output-type-widened", "/x-mcpgen/schema/properties/text/type")
