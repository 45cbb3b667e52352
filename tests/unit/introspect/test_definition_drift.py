"""Resources, prompts and instructions are compared with those of a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgen.diagnostics import Span
from mcpgen.introspect.definition_drift import pair_definitions
from mcpgen.introspect.drift import find_drift
from support.listings import advertised, definitions

GUIDE: dict[str, Any] = {"name": "guide", "uri": "x://guide", "mimeType": "text/plain"}
PAGE: dict[str, Any] = {"name": "page", "uriTemplate": "x://{id}"}
PLAN: dict[str, Any] = {"name": "plan", "arguments": [{"name": "a", "required": True}, {"name": "b"}]}


def compare(folder: Path, live: dict[str, Any], instructions: str = "Ask.") -> tuple[set[str], set[str]]:
    """Return the messages of errors and of notes."""
    declared = definitions(folder, [], resources=[GUIDE], resourceTemplates=[PAGE], prompts=[PLAN], instructions="Ask.")
    server = replace(advertised(**live), instructions=instructions)
    items = find_drift(declared, server, Span.of_server("live")).diagnostics
    errors = {item.message for item in items if item.severity == "error"}
    return errors, {item.message for item in items if item.severity == "note"}


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
        'resource "guide": /mimeType is "text/html" on the server, not "text/plain"',
        'resource "page": /name is "leaf" on the server, not "page"',
        'prompt "plan": /arguments/a is "optional" on the server, not "required"',
        'prompt "plan": /arguments/b is missing on the server',
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
        'resource "guide": /annotations/priority is new on the server: 1',
        'resource "guide": /title is new on the server: "Guide"',
        'prompt "plan": /description is new on the server: "Plans."',
        'server: /instructions is "Don\'t ask." on the server, not "Ask."',
    }


def find_messages(folder: Path, live: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the code and the message of each change, and whether its place is in the declaring file."""
    declared = definitions(folder, [], resources=[GUIDE], prompts=[PLAN])
    changes = find_drift(declared, advertised(**live), Span.of_server("live")).diagnostics
    return [(change.code, change.message, change.span is not None and change.span.line == 1) for change in changes]


def test_each_changed_member_is_named_with_its_place(tmp_path: Path) -> None:
    live: dict[str, Any] = {"resources": [{"uri": "x://guide", "name": "other"}], "prompts": [{"name": "plan"}]}
    assert find_messages(tmp_path, live) == [
        ("MG716", 'resource "guide": /mimeType is missing on the server: "text/plain"', True),
        ("MG716", 'resource "guide": /name is "other" on the server, not "guide"', True),
        ("MG716", 'prompt "plan": /arguments/a is missing on the server', True),
        ("MG716", 'prompt "plan": /arguments/b is missing on the server', True),
    ]


def test_an_argument_may_have_the_name_of_a_keyword(tmp_path: Path) -> None:
    plan = {"name": "plan", "arguments": [{"name": "properties"}, {"name": "required"}, {"name": "type"}]}
    declared = definitions(tmp_path, [], prompts=[plan])
    live = advertised(prompts=[{"name": "plan", "arguments": [{"name": "properties", "required": True}]}])
    messages = [item.message for item in find_drift(declared, live, Span("x")).diagnostics]
    assert messages == [
        'prompt "plan": /arguments/properties is "required" on the server, not "optional"',
        'prompt "plan": /arguments/required is missing on the server',
        'prompt "plan": /arguments/type is missing on the server',
    ]


def test_what_only_one_side_has_is_not_paired(tmp_path: Path) -> None:
    live: dict[str, Any] = {"resources": [{"uri": "x://another", "name": "guide"}], "prompts": [{"name": "another"}]}
    declared = definitions(tmp_path, [], resources=[GUIDE], prompts=[PLAN])
    assert not [*pair_definitions(declared, advertised(**live))]


def test_an_argument_that_says_it_is_optional_is_as_one_that_says_nothing(tmp_path: Path) -> None:
    arguments = [{"name": "b", "required": False}, {"name": "a", "required": True, "description": "Other words."}]
    live = {"resources": [GUIDE], "prompts": [{"name": "plan", "arguments": arguments}]}
    assert [code for code, _, _ in find_messages(tmp_path, live)] == ["MG717"]


def test_instructions_count_only_where_some_are_declared(tmp_path: Path) -> None:
    server = replace(advertised(), instructions="Ask twice.")
    without = definitions(tmp_path / "without", [])
    assert not find_drift(without, server, Span("x")).diagnostics
    declared = definitions(tmp_path / "with", [], instructions="Ask.")
    (change,) = find_drift(declared, server, Span("x")).diagnostics
    assert (change.code, change.severity) == ("MG717", "note")
    (gone,) = find_drift(declared, replace(server, instructions=""), Span("x"), strict=True).diagnostics
    assert (gone.message, gone.severity) == ('server: /instructions is missing on the server: "Ask."', "error")
    assert not find_drift(declared, replace(server, instructions="Ask."), Span("x"), strict=True).diagnostics
