"""Resources, prompts and instructions are compared with those of a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Severity
from mcpgen.introspect.definition_drift import find_instruction_changes, find_member_changes, pair_definitions
from mcpgen.introspect.drift import find_drift
from support.listings import advertised, definitions

GUIDE: dict[str, Any] = {"name": "guide", "uri": "x://guide", "mimeType": "text/plain"}
PAGE: dict[str, Any] = {"name": "page", "uriTemplate": "x://{id}"}
PLAN: dict[str, Any] = {"name": "plan", "arguments": [{"name": "a", "required": True}, {"name": "b"}]}


def compare(folder: Path, live: dict[str, Any], instructions: str = "Ask.") -> tuple[set[str], set[str]]:
    """Return the messages of errors and of notes."""
    declared = definitions(folder, [], resources=[GUIDE], resourceTemplates=[PAGE], prompts=[PLAN], instructions="Ask.")
    server = replace(advertised(**live), instructions=instructions)
    drift = find_drift(declared, server, "live")
    return {error.message for error in drift.errors}, {item.message for item in drift.wording}


def test_the_same_is_the_same(tmp_path: Path) -> None:
    turned = {**PLAN, "arguments": [PLAN["arguments"][1], PLAN["arguments"][0]]}
    live = {"resources": [GUIDE], "resourceTemplates": [PAGE], "prompts": [turned]}
    assert compare(tmp_path, live) == (set(), set())


def test_changed_contracts_are_errors(tmp_path: Path) -> None:
    live = {
        "resources": [{**GUIDE, "mimeType": "text/html"}],
        "resourceTemplates": [{**PAGE, "name": "leaf"}],
        "prompts": [{**PLAN, "arguments": [{"name": "a"}]}],
    }
    errors, notes = compare(tmp_path, live)
    assert errors == {
        'resource "guide" has another mimeType on the server',
        'resource "page" has another name on the server',
        'prompt "plan" has other arguments on the server',
    }
    assert notes == set()


def test_missing_and_new_prompts_are_errors(tmp_path: Path) -> None:
    live = {"resources": [GUIDE], "resourceTemplates": [PAGE], "prompts": [{"name": "other"}]}
    assert compare(tmp_path, live)[0] == {
        'prompt "plan" is missing on the server',
        'prompt "other" is new on the server',
    }


def test_other_descriptions_and_instructions_are_notes(tmp_path: Path) -> None:
    live = {
        "resources": [{**GUIDE, "title": "Guide", "annotations": {"priority": 1}}],
        "resourceTemplates": [PAGE],
        "prompts": [{**PLAN, "description": "Plans."}],
    }
    errors, notes = compare(tmp_path, live, "Don't ask.")
    assert errors == set()
    assert notes == {
        'resource "guide" is described differently on the server: /annotations/priority, /title',
        'prompt "plan" is described differently on the server: /description',
        "the server has other instructions",
    }


def list_member_changes(folder: Path, live: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the code and the message of each change, and whether its place is in the declaring file."""
    declared = definitions(folder, [], resources=[GUIDE], prompts=[PLAN])
    changes = find_member_changes(declared, advertised(**live))
    return [(change.code, change.message, change.span is not None and change.span.line == 1) for change in changes]


def test_each_changed_member_is_named_with_its_place(tmp_path: Path) -> None:
    live: dict[str, Any] = {"resources": [{"uri": "x://guide", "name": "other"}], "prompts": [{"name": "plan"}]}
    assert list_member_changes(tmp_path, live) == [
        ("MG716", 'resource "guide" has another name and mimeType on the server', True),
        ("MG716", 'prompt "plan" has other arguments on the server', True),
    ]


def test_what_only_one_side_has_is_not_compared(tmp_path: Path) -> None:
    live: dict[str, Any] = {"resources": [{"uri": "x://another", "name": "guide"}], "prompts": [{"name": "another"}]}
    assert list_member_changes(tmp_path, live) == []
    assert not [*pair_definitions(definitions(tmp_path / "again", [], prompts=[PLAN]), advertised(**live))]


def test_an_argument_that_says_it_is_optional_is_as_one_that_says_nothing(tmp_path: Path) -> None:
    arguments = [{"name": "b", "required": False}, {"name": "a", "required": True, "description": "Other words."}]
    assert list_member_changes(tmp_path, {"prompts": [{"name": "plan", "arguments": arguments}]}) == []


def test_instructions_count_only_where_some_are_declared(tmp_path: Path) -> None:
    server = replace(advertised(), instructions="Ask twice.")
    without = definitions(tmp_path / "without", [])
    assert not [*find_instruction_changes(without, server, "live", Severity.ERROR)]
    declared = definitions(tmp_path / "with", [], instructions="Ask.")
    (change,) = find_instruction_changes(declared, server, "live", Severity.NOTE)
    assert (change.code, change.severity) == ("MG717", Severity.NOTE)
    assert not [*find_instruction_changes(declared, replace(server, instructions="Ask."), "live", Severity.ERROR)]
