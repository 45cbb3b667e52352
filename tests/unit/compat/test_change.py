"""Changes, their places, their rules and what acknowledges them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.compat.change import (
    UNDECIDED_CODE,
    Change,
    SchemaLocator,
    covers_change,
    format_acknowledgement,
    locate_part,
    make_change,
    match_acknowledgements,
    merge_shared,
)
from mcpgen.compat.compare import pair_resources, pair_subschemas, pair_tools
from mcpgen.compat.gap import Gap, GapKind, merge_gaps
from mcpgen.compat.registry import RULES, index_rules
from mcpgen.compat.rules.definitions import WORDING_RULES
from mcpgen.compat.rules.rule import CATEGORY_CODES, Category, Rule, RuleMatch, SubschemaPair
from mcpgen.config.models import Acknowledged, ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Findings, Severity, Span
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.schema.values import Json
from support.compat import make_resource, make_schema, make_tool

# --- changes as diagnostics -------------------------------------------------------------------------------------------
SPAN = Span("tools.json", 3, 5)


def test_a_change_takes_severity_and_code_from_its_rule() -> None:
    match = RuleMatch("may reach the web", "/annotations", "keep it")
    change = make_change(RULES["tool-became-open-world"], 'tool "a"', "a", match, SPAN)
    assert (change.severity, change.code, change.pointer) == (Severity.WARNING, "MG806", "/annotations")
    assert not change.breaking
    assert not change.undecided


def test_the_diagnostic_names_subject_and_rule() -> None:
    change = Change(RULES["tool-removed"], 'tool "a"', "a", "is gone", SPAN, "keep it", code="MG803")
    assert change.breaking
    expected = Diagnostic("MG803", 'tool "a": is gone (tool-removed)', SPAN, "keep it", Severity.ERROR)
    assert change.to_diagnostic() == expected


def test_an_undecided_change_is_known_by_its_code() -> None:
    change = Change(RULES["input-not-followed"], 'tool "a"', "a", "", SPAN, severity=Severity.WARNING)
    assert not change.undecided
    assert replace(change, code=UNDECIDED_CODE).undecided
    assert replace(change, text="is it?", code=UNDECIDED_CODE).message == "undecided: is it?"


def make_gap_change(name: str, path: str, line: int = 3, text: str = "may now be null") -> Change:
    rule = RULES["output-became-nullable"]
    return Change(rule, f'tool "{name}"', name, text, Span("common.json", line, 5), code=rule.code, paths=(path,))


def test_what_several_definitions_share_is_one_change() -> None:
    changes = [
        make_gap_change("a", "result.x"),
        make_gap_change("a", "result.y", line=4),
        make_gap_change("b", "result.x"),
        make_gap_change("c", "result.z"),
        make_gap_change("c", "result.z", text="may now be an object"),
    ]
    merged = merge_shared(changes)
    assert [(change.subjects, change.message, change.span.line) for change in merged] == [
        (('tool "a"',), "result.y: may now be null", 4),
        (('tool "a"', 'tool "b"', 'tool "c"'), "result.x and result.z: may now be null", 3),
        (('tool "c"',), "result.z: may now be an object", 3),
    ]
    message = 'tool "a", tool "b", tool "c": result.x and result.z: may now be null (output-became-nullable)'
    assert merged[1].to_diagnostic().message == message


def test_one_definition_has_each_change_of_its_own() -> None:
    changes = [make_gap_change("a", "result.x"), make_gap_change("b", "result.x", line=9)]
    assert merge_shared(changes) == changes
    gone = [replace(change, span=Span.of_server("weather")) for change in changes]
    assert merge_shared(gone) == gone


# --- gaps and how they merge ------------------------------------------------------------------------------------------
TYPE = Gap(GapKind.TYPE, ("a", "b"), "/producer", "/consumer", "type", certain=False, values=("null",))


def test_gaps_between_other_subschemas_stay_apart() -> None:
    other = Gap(GapKind.TYPE, ("a", "b"), "/producer", "/other", "type")
    assert merge_gaps([TYPE, other]) == [TYPE, other]


def test_the_merged_gap_has_all_values_and_the_shortest_path() -> None:
    shorter = Gap(GapKind.TYPE, ("c",), "/producer", "/consumer", "type", certain=False, values=("string", "null"))
    (merged,) = merge_gaps([TYPE, shorter])
    assert (merged.path, merged.values, merged.certain) == (("c",), ("null", "string"), False)


def test_a_certain_gap_wins_over_a_shorter_path() -> None:
    certain = Gap(GapKind.TYPE, ("c", "d", "e"), "/producer", "/consumer", "type", values=("array",))
    (merged,) = merge_gaps([TYPE, certain])
    assert (merged.path, merged.certain) == (("c", "d", "e"), True)


def test_a_gap_becomes_uncertain_and_nothing_else() -> None:
    gap = Gap(GapKind.PATTERN, (), "", "", "pattern", constraint="^a")
    assert gap.certain
    assert gap.as_uncertain() == Gap(GapKind.PATTERN, (), "", "", "pattern", certain=False, constraint="^a")


# --- definitions before and after that belong together ----------------------------------------------------------------
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def test_tools_are_paired_by_name() -> None:
    old, new = make_tool("a", TEXT), make_tool("a")
    (pair,) = pair_tools([old], [make_tool("b", TEXT), new])
    assert pair == (old, new)


def test_a_tool_with_the_same_schemas_is_the_renamed_one() -> None:
    old, new = make_tool("a", TEXT, description="Old"), make_tool("b", TEXT, description="New")
    ((_, renamed),) = pair_tools([old], [new])
    assert renamed is new


def test_two_candidates_or_bare_schemas_are_no_renaming() -> None:
    ((_, ambiguous),) = pair_tools([make_tool("a", TEXT)], [make_tool("b", TEXT), make_tool("c", TEXT)])
    assert ambiguous is None
    ((_, bare),) = pair_tools([make_tool("a")], [make_tool("b")])
    assert bare is None


def test_resources_are_paired_by_name_then_by_uri() -> None:
    old = [make_resource("a", uri="x://1"), make_resource("b", uri="x://2"), make_resource("c", uri="x://3")]
    new = [make_resource("a", uri="x://9"), make_resource("z", uri="x://2")]
    pairs = {before.name: after and after.name for before, after in pair_resources(old, new)}
    assert pairs == {"a": "a", "b": "z", "c": None}


def test_subschemas_are_paired_by_pointer() -> None:
    old = make_schema({"properties": {"a": {"title": "A"}, "b": {"title": "B"}}, "items": True})
    new = make_schema({"properties": {"a": {"title": "Z"}}, "items": {"type": "null"}})
    pairs = {pair.pointer: pair for pair in pair_subschemas(old, new)}
    assert set(pairs) == {"", "/properties/a"}
    assert pairs["/properties/a"] == SubschemaPair("/properties/a", {"title": "A"}, {"title": "Z"})


# --- from JSON pointers into definitions to places in files -----------------------------------------------------------
TOOL = {
    "name": "get",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
RESOURCE = {"name": "config", "uri": "x://config", "x-mcpgen": {"schema": {"type": "object", "minProperties": 1}}}


def read(folder: Path) -> Definitions:
    text = json.dumps({"tools": [TOOL], "resources": [RESOURCE]}, indent=1)
    (folder / "all.json").write_text(text, "utf-8")
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": ["all.json"]}), folder=folder)
    definitions = read_definitions(package, findings)
    assert definitions is not None, [finding.message for finding in findings]
    return definitions


def line_of(folder: Path, text: str) -> int:
    lines = (folder / "all.json").read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_keyword_of_a_tools_schema(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    assert locator.find_pointer("/properties/a", "type") == "/outputSchema/properties/a/type"
    assert locator.definition.locate(locator.find_pointer("/properties/a", "type")).line == line_of(
        tmp_path, '"string"'
    )


def test_an_absent_keyword_is_found_at_its_subschema(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    assert locator.find_pointer("/properties/a", "maxLength") == "/outputSchema/properties/a"
    assert locator.definition.locate(locator.find_pointer("/properties/a", "maxLength")).line == line_of(
        tmp_path, '"a"'
    )


def test_a_property_is_found_where_it_is_or_would_be(tmp_path: Path) -> None:
    tool = read(tmp_path).tools[0]
    assert tool.output is not None
    locator = SchemaLocator(tool, tool.output.value, "outputSchema")
    for name, line in (("a", '"a"'), ("gone", '"properties"')):
        for keyword in ("required", "properties", "additionalProperties"):
            pointer = f"/outputSchema/properties/{name}"
            assert locator.find_pointer("", keyword, name) == pointer
            span = locator.definition.locate(locator.find_pointer("", keyword, name))
            assert (span.line, span.pointer) == (line_of(tmp_path, line), f"/tools/0{pointer}")
            assert locate_part(tool, pointer) == span
    dependent: dict[str, Json] = {"dependentRequired": {"a": ["b"]}}
    assert SchemaLocator(tool, dependent, "outputSchema").find_pointer("", "dependentRequired", "a") == (
        "/outputSchema/dependentRequired/a"
    )


def test_a_keyword_of_a_payload(tmp_path: Path) -> None:
    resource = read(tmp_path).resources[0]
    assert resource.payload is not None
    locator = SchemaLocator(resource, resource.payload.value, "x-mcpgen/schema")
    assert locator.find_pointer("", "minProperties") == "/x-mcpgen/schema/minProperties"
    assert locator.definition.locate(locator.find_pointer("", "minProperties")).line == line_of(
        tmp_path, "minProperties"
    )


def test_members_of_a_definition(tmp_path: Path) -> None:
    definitions = read(tmp_path)
    tool, resource = definitions.tools[0], definitions.resources[0]
    assert locate_part(tool, "/outputSchema").line == line_of(tmp_path, "outputSchema")
    assert locate_part(tool, "/annotations/readOnlyHint") == tool.span
    assert locate_part(tool, "/outputSchema/properties/a/description").line == line_of(tmp_path, '"a"')
    assert locate_part(replace(tool, document=None), "/name") == tool.span
    assert locate_part(resource, "/uri").line == line_of(tmp_path, "x://config")
    assert locate_part(resource, "/mimeType") == resource.span


# --- acknowledgements cover changes by rule, subject and pointer ------------------------------------------------------
def acknowledge(rule: str, **subject: str) -> Acknowledged:
    return Acknowledged.model_validate({"rule": rule, "reason": "agreed", **subject})


def make_subject_change(rule: str, subject: str, pointer: str = "", file_pointer: str = "") -> Change:
    return Change(RULES[rule], subject, subject, "is gone", Span("tools.json", pointer=file_pointer), pointer=pointer)


REMOVED = make_subject_change("tool-removed", 'tool "a"')
RENAMED = make_subject_change("tool-renamed", 'tool "b"', "/name")


def test_an_acknowledgement_without_a_subject_covers_every_change_of_its_rule() -> None:
    entry = acknowledge("tool-removed")
    assert covers_change(entry, REMOVED)
    assert covers_change(entry, make_subject_change("tool-removed", 'tool "z"'))
    assert not covers_change(entry, RENAMED)


def test_subject_and_pointer_narrow_an_acknowledgement() -> None:
    assert covers_change(acknowledge("tool-renamed", tool="b", pointer="/name"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", tool="c"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", resource="b"), RENAMED)
    assert not covers_change(acknowledge("tool-renamed", pointer="/title"), RENAMED)


def test_a_pointer_may_lead_into_the_definition_or_into_the_file() -> None:
    change = make_subject_change("output-property-became-optional", 'tool "b"', "/outputSchema/$defs/A", "/$defs/A")
    for pointer in ("/outputSchema/$defs/A", "/$defs/A"):
        assert covers_change(acknowledge("output-property-became-optional", pointer=pointer), change)
    assert not covers_change(acknowledge("output-property-became-optional", pointer="/$defs"), change)


def test_what_an_acknowledgement_says_covers_its_change() -> None:
    shared = replace(make_subject_change("tool-removed", 'tool "b"', "/a", "/$defs/a"), name="b", others=('tool "c"',))
    for change in (replace(REMOVED, name="a"), replace(RENAMED, name="b"), shared):
        entry = tomllib.loads(format_acknowledgement(change).replace(", ", "\n"))
        assert covers_change(acknowledge(**entry), change)
    assert format_acknowledgement(shared) == 'rule = "tool-removed", pointer = "/$defs/a"'


def test_remaining_changes_covered_ones_and_unused_acknowledgements() -> None:
    entries = [acknowledge("tool-removed"), acknowledge("tool-removed", tool="a"), acknowledge("tool-task-required")]
    assert match_acknowledgements([REMOVED, RENAMED], entries) == ([RENAMED], [REMOVED], [2])


# --- the registry has each rule once and cannot be changed ------------------------------------------------------------
def test_rules_are_listed_by_category_and_id() -> None:
    assert all(id == rule.id for id, rule in RULES.items())
    categories = [rule.category for rule in RULES.values()]
    in_order = list(dict.fromkeys(categories))
    assert in_order == [
        "annotations",
        "content",
        "input",
        "output",
        "prompts",
        "names",
        "resources",
        "tools",
        "wording",
        "additions",
    ]
    assert categories == sorted(categories, key=in_order.index)


def test_rules_about_wording_break_nobody() -> None:
    """They are notes, and all of them are in the registry: one each for tools, resources, prompts and forms."""
    assert [rule for rule in RULES.values() if rule.category is Category.WORDING] == [*WORDING_RULES]
    assert {rule.severity for rule in WORDING_RULES} == {Severity.NOTE}
    assert len({rule.subject for rule in WORDING_RULES}) == 4


def test_the_registry_is_immutable() -> None:
    registry: Any = RULES
    with pytest.raises(TypeError):
        registry["new"] = RULES["tool-removed"]


def test_an_id_occurs_once() -> None:
    rule = Rule("twice", Category.TOOLS, "A rule.")
    assert dict(index_rules([rule])) == {"twice": rule}
    with pytest.raises(ValueError, match="twice"):
        index_rules([rule, rule])


def test_each_category_has_a_code_of_the_catalogue() -> None:
    assert set(CATEGORY_CODES) == set(Category)
    assert set(CATEGORY_CODES.values()) <= set(CATALOGUE)
