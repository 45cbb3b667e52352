"""Rules for tools as a whole."""

from __future__ import annotations

import pytest
from mcpgen.compat.rules.rule import ToolPair
from mcpgen.compat.rules.tools import TOOL_RULES
from mcpgen.read.definitions import ToolDefinition, ToolOptions
from support.compat import make_tool

OBJECT, LIST = {"type": "object"}, {"type": "array"}


def list_matches(old: ToolDefinition, new: ToolDefinition | None) -> list[tuple[str, str]]:
    return [(rule.id, match.text) for rule in TOOL_RULES for match in rule.find(ToolPair(old, new))]


def test_removed_and_renamed() -> None:
    assert list_matches(make_tool("a"), None) == [("tool-removed", "was removed")]
    assert list_matches(make_tool("a"), make_tool("b")) == [("tool-renamed", 'is called "b" now')]
    assert list_matches(make_tool("a"), make_tool("a")) == []


def test_a_removed_output_schema() -> None:
    assert [id for id, _ in list_matches(make_tool(output=OBJECT), make_tool())] == ["tool-output-schema-removed"]
    assert list_matches(make_tool(), make_tool(output=OBJECT)) == []


def test_wrapping() -> None:
    always = ToolOptions(wrap="always")
    assert make_tool(output=OBJECT, choices=always).wrapping == "never"
    assert make_tool(output=LIST).wrapping == "legacy"
    assert make_tool(output=LIST, choices=always).wrapping == "always"
    text = 'its result was never wrapped, is wrapped in {"result": …} under 2025-06-18 and 2025-11-25 now'
    assert list_matches(make_tool(output=OBJECT), make_tool(output=LIST)) == [("tool-wrapping-changed", text)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("optional", "required", ["tool-task-required"]),
        ("optional", "forbidden", ["tool-task-refused"]),
        ("required", "required", []),
        ("forbidden", "optional", []),
    ],
)
def test_tasks(old: str, new: str, expected: list[str]) -> None:
    old_tool, new_tool = make_tool(execution={"taskSupport": old}), make_tool(execution={"taskSupport": new})
    assert [id for id, _ in list_matches(old_tool, new_tool)] == expected


def test_a_tool_without_execution_forbids_tasks() -> None:
    assert [id for id, _ in list_matches(make_tool(execution={"taskSupport": "optional"}), make_tool())] == [
        "tool-task-refused"
    ]
