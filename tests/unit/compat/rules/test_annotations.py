"""Rules for annotations: promises that a tool no longer makes."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.rules.annotations import ANNOTATION_RULES
from mcpgen.compat.rules.rule import ToolPair
from support.compat import make_tool


def list_lost(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    pair = ToolPair(make_tool(annotations=old), make_tool(annotations=new))
    return [rule.id for rule in ANNOTATION_RULES for _ in rule.find(pair)]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ({"readOnlyHint": True}, {"readOnlyHint": True}, []),
        ({"readOnlyHint": True}, {}, ["tool-no-longer-read-only"]),
        ({}, {"readOnlyHint": True}, []),
        ({"destructiveHint": False}, {}, ["tool-became-destructive"]),
        ({"destructiveHint": False}, {"readOnlyHint": True}, []),
        ({"idempotentHint": True}, {"idempotentHint": False}, ["tool-no-longer-idempotent"]),
        ({"openWorldHint": False}, {"openWorldHint": True}, ["tool-became-open-world"]),
        ({"readOnlyHint": "yes"}, {}, []),
    ],
)
def test_lost_promises(old: dict[str, Any], new: dict[str, Any], lost: list[str]) -> None:
    assert list_lost(old, new) == lost


def test_the_help_names_the_promise() -> None:
    pair = ToolPair(make_tool(annotations={"destructiveHint": False}), make_tool())
    (match,) = (match for rule in ANNOTATION_RULES for match in rule.find(pair))
    assert match.help == 'keep `"destructiveHint": false`, or make it another tool'
    assert match.pointer == "/annotations/destructiveHint"


def test_a_removed_tool_loses_nothing_more() -> None:
    pair = ToolPair(make_tool(annotations={"readOnlyHint": True}), None)
    assert [match for rule in ANNOTATION_RULES for match in rule.find(pair)] == []
