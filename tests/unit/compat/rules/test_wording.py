"""Rules for wording."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.rules.rule import ToolPair
from mcpgen.compat.rules.wording import WORDING_RULES
from support.compat import make_tool


def list_texts(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the messages about two sets of arguments."""
    pair = ToolPair(*(make_tool(input={"type": "object", "properties": properties}) for properties in (old, new)))
    return [match.text for match in WORDING_RULES[0].find(pair)]


DUE = {"type": "string", "title": "Due", "description": "When."}


def test_a_property_that_only_has_another_name_says_nothing_new() -> None:
    assert list_texts({"due": DUE}, {"until": {**DUE, "title": "Until"}}) == []
    inside = ({"a": {"type": "object", "properties": {name: {"items": DUE}}}} for name in ("due", "until"))
    assert list_texts(*inside) == []


def test_a_renamed_property_with_another_text_is_reported() -> None:
    assert list_texts({"due": DUE}, {"until": {**DUE, "description": "Until when."}}) == [
        '/inputSchema/properties/due/description is gone: "When."',
        '/inputSchema/properties/until/description is new: "Until when."',
    ]


def test_a_text_that_moves_to_a_property_that_was_there_is_reported() -> None:
    """Both properties stay, so that models read something else about each."""
    bare = {"type": "string"}
    assert list_texts({"a": DUE, "b": bare}, {"a": {"type": "string", "title": "Due"}, "b": DUE}) != []
    assert len(list_texts({"a": DUE}, {"a": bare})) == 2
    assert len(list_texts({"a": DUE, "b": bare}, {"b": {**bare, "description": "When."}})) == 2
    assert list_texts({"due": DUE}, {}) == ['/inputSchema/properties/due/description is gone: "When."']
