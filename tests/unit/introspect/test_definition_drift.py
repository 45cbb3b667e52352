"""Resources, prompts and instructions are compared with those of a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgen.introspect.drift import find_drift
from support.listings import advertised, definitions

GUIDE: dict[str, Any] = {"name": "guide", "uri": "x://guide", "mimeType": "text/plain"}
PAGE: dict[str, Any] = {"name": "page", "uriTemplate": "x://{id}"}
PLAN: dict[str, Any] = {"name": "plan", "arguments": [{"name": "a", "required": True}, {"name": "b"}]}


def compare(folder: Path, live: dict[str, Any], instructions: str = "Ask.") -> tuple[set[str], set[str]]:
    """Return the messages of errors and of notes."""
    held = definitions(folder, [], resources=[GUIDE], resourceTemplates=[PAGE], prompts=[PLAN], instructions="Ask.")
    server = replace(advertised(**live), instructions=instructions)
    drift = find_drift(held, server, "live")
    return {one.message for one in drift.errors}, {one.message for one in drift.wording}


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
