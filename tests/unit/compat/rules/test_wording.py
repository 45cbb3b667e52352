"""Rules for wording."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.rules.rule import PromptPair, ToolPair
from mcpgen.compat.rules.wording import WORDING_RULES
from mcpgen.diagnostics import Span
from mcpgen.read.definitions import PromptDefinition
from mcpgen.schema.values import Json
from support.compat import make_tool


def list_texts(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the messages about two sets of arguments."""
    pair = ToolPair(*(make_tool(input={"type": "object", "properties": properties}) for properties in (old, new)))
    return [match.text for match in WORDING_RULES[0].find(pair)]


DUE = {"type": "string", "title": "Due", "description": "When."}


def test_texts_come_with_a_property_that_is_new_or_removed() -> None:
    kept = {"kept": {"type": "object", "properties": {"a": DUE}}}
    assert list_texts(kept, {**kept, "due": DUE}) == []
    assert list_texts({**kept, "due": DUE}, kept) == []
    assert list_texts({"due": DUE}, {"until": {**DUE, "description": "Until when."}}) == []
    inside = ({"a": {"type": "object", "properties": {name: {"items": DUE}}}} for name in ("due", "until"))
    assert list_texts(*inside) == []
    assert list_texts({"a": {"type": "object"}}, {"a": {"type": "object", "properties": {"due": DUE}}}) == []


def test_the_text_of_a_property_that_was_there_is_reported() -> None:
    """Models read something else about a property that both versions have, wherever its text is written."""
    bare = {"type": "string"}
    assert list_texts({"a": DUE, "b": bare}, {"a": {"type": "string", "title": "Due"}, "b": DUE}) != []
    assert len(list_texts({"a": DUE}, {"a": bare})) == 2
    new = '/inputSchema/properties/b/description is new: "When."'
    assert list_texts({"a": DUE, "b": bare}, {"b": {**bare, "description": "When."}}) == [new]
    assert len(list_texts({"a": bare}, {"a": {"anyOf": [DUE, {"type": "null"}]}})) == 2
    assert len(list_texts({"a": {"$ref": "x"}}, {"a": {"type": "object", "properties": {"due": DUE}}})) == 2
    assert len(list_texts({"a": {"allOf": [DUE]}}, {"a": {"allOf": []}})) == 2


def test_texts_come_with_an_argument_of_a_prompt() -> None:
    def make(*names: str, text: str = "When.") -> PromptDefinition:
        arguments: list[Json] = [{"name": name, "description": text} for name in names]
        return PromptDefinition("plan", "p.json", Span("p.json"), {"name": "plan", "arguments": arguments})

    def find(old: PromptDefinition, new: PromptDefinition) -> list[str]:
        return [match.text for match in WORDING_RULES[2].find(PromptPair(old, new))]

    assert find(make("day"), make("day", "hour")) == []
    assert find(make("day", "hour"), make("hour")) == []
    assert find(make("day"), make("day", text="Which day.")) == [
        '/arguments/day/description was "When.", is "Which day."'
    ]
