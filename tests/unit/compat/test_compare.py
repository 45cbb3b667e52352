"""Comparisons of definitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.compat import git_revision
from mcpgen.compat.change import Change, SchemaLocator
from mcpgen.compat.compare import PackageSnapshot, SchemaComparison, compare_definitions, find_emptied_schemas
from mcpgen.compat.git_revision import Revision, RevisionError, _list_blobs, _split_batch, export_revision
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.python_names import PythonNames
from mcpgen.compat.rules.rule import Category
from mcpgen.compat.rules.schemas import EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.compat import make_resource, make_schema, make_tool
from support.corpus import SOURCES, tools_of
from support.diff_oracle import Tally, corpus_pairs, counterexample, known_changes, random_pair, verdict


# --- comparison of definitions, and of schemas against oracles --------------------------------------------------------
# The oracles are jsonschema-rs on drawn values, and changes to real schemas whose effect is known.
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


def test_the_data_of_errors_is_compared_as_a_result() -> None:
    old, new = (make_snapshot(replace(make_tool("a", TEXT), error=make_schema(it))) for it in (TEXT, NUMBER))
    (change,) = compare_definitions(old, new)
    place = "/x-mcpgen/error/properties/text/type"
    assert (change.rule.id, change.pointer, change.paths) == ("output-type-widened", place, ("error.data.text",))


# --- subschemas that a change leaves without any value; jsonschema-rs confirms that each old value is refused ---------
CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
RENAMED = {**CLOSED, "properties": {"b": {"type": "integer"}}}
REASON = '"a" is required, but the schema allows no value for it'


def within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"inner": schema}, "required": ["inner"]}


def refer(schema: Any) -> dict[str, Any]:
    return {**within({"$ref": "#/$defs/Inner"}), "$defs": {"Inner": schema}}


def make_view(schema: Any) -> SchemaView:
    return SchemaView(schema, make_schema(schema).dialect)


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
    assert [*find_emptied_schemas(make_view(old), make_view(new))] == [expected]
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
    assert [*find_emptied_schemas(make_view(old), make_view(new))] == []


def test_an_emptied_schema_is_an_error() -> None:
    for rule in (EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE):
        assert RULES[rule.id] is rule
        assert rule.severity is Severity.ERROR


# --- changes of one schema: gaps as messages with examples, and changed annotations -----------------------------------
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


# --- parsing of what git prints; the commands themselves are tested with repositories in `tests/commands` -------------
def entry(path: str, mode: str = "100644", size: str = "12") -> bytes:
    return f"{mode} blob {'a' * 40} {size}\t{path}\0".encode()


def test_only_regular_files_of_definitions_are_listed() -> None:
    listing = (
        entry("a.json") + entry("b.py") + entry("link.json", "120000") + entry("x/c.yaml", "100755") + entry("d.toml")
    )
    assert [blob.path for blob in _list_blobs(listing)] == ["a.json", "x/c.yaml", "d.toml"]


def test_paths_that_lead_out_are_refused() -> None:
    with pytest.raises(RevisionError, match="holds a file called"):
        _list_blobs(entry("x/../../a.json"))


def test_a_revision_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_revision, "MOST_BYTES", 20)
    assert len(_list_blobs(entry("a.json", size="8") + entry("b.json", size="12"))) == 2
    with pytest.raises(RevisionError, match="20 bytes"):
        _list_blobs(entry("a.json", size="9") + entry("b.json", size="12"))
    monkeypatch.setattr(git_revision, "MOST_FILES", 1)
    with pytest.raises(RevisionError, match="more than 1 such files"):
        _list_blobs(entry("a.json", size="8") + entry("b.json", size="12"))


def test_a_batch_is_split_by_its_sizes() -> None:
    first, second = b"a" * 40 + b" blob 5\nab\ncd\n", b"b" * 40 + b" blob 0\n\n"
    assert list(_split_batch(first + second)) == [b"ab\ncd", b""]


def test_paths_are_found_in_the_export(tmp_path: Path) -> None:
    top, folder = (tmp_path / "top").resolve(), (tmp_path / "out").resolve()
    top.mkdir()
    assert Revision(top, folder).locate(top / "x" / "a.json") == folder / "x" / "a.json"
    with pytest.raises(RevisionError, match="outside of the git repository top"):
        Revision(top, folder).locate(tmp_path / "other.json")


def test_an_empty_revision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match="no revision is named"):
        export_revision("", tmp_path, tmp_path)
