"""Everything that a definition says to models and people is compared, and nothing that is its contract."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from mcpgen_runtime.tool_contract import contract_hash, list_wording_changes

TOOL: dict[str, Any] = {
    "name": "add",
    "title": "Add",
    "description": "Adds.",
    "annotations": {"readOnlyHint": True},
    "icons": [{"src": "https://a.example/i.png"}],
    "_meta": {"a.example/x": {"deep": [1]}},
    "inputSchema": {
        "type": "object",
        "properties": {"description": {"type": "string", "description": "A name that is a keyword, too."}},
        "$defs": {"title": {"type": "string", "title": "T"}},
        "allOf": [{"if": {"title": "C"}, "then": {"x-hint": {"say": "this"}}}],
    },
    "outputSchema": {"type": "array", "items": {"type": "number", "examples": [1]}},
}
PLACES = (
    "/_meta/a.example~1x/deep",
    "/annotations/readOnlyHint",
    "/description",
    "/icons",
    "/inputSchema/$defs/title/title",
    "/inputSchema/allOf/0/if/title",
    "/inputSchema/allOf/0/then/x-hint/say",
    "/inputSchema/properties/description/description",
    "/outputSchema/items/examples",
    "/title",
)
"""All that the tool says."""


def follow(tool: dict[str, Any], pointer: str) -> tuple[Any, Any]:
    """Return what holds the value at a pointer, and its key."""
    *path, last = (token.replace("~1", "/") for token in pointer.split("/")[1:])
    node: Any = tool
    for token in path:
        node = node[int(token)] if isinstance(node, list) else node[token]
    return node, last


@pytest.mark.parametrize("place", PLACES)
def test_each_place_is_compared(place: str) -> None:
    changed = deepcopy(TOOL)
    node, key = follow(changed, place)
    node[key] = "another"
    (change,) = list_wording_changes(TOOL, changed)
    assert (change.pointer, change.after) == (place, "another")
    assert contract_hash(changed) == contract_hash(TOOL)


def test_what_is_there_is_all_that_is_said() -> None:
    assert tuple(change.pointer for change in list_wording_changes({}, TOOL)) == PLACES


@pytest.mark.parametrize(
    "changed",
    [
        {**TOOL, "inputSchema": {**TOOL["inputSchema"], "required": ["description"]}},
        {**TOOL, "outputSchema": {"type": "array", "items": {"type": "integer", "examples": [1.0]}}},
        {**TOOL, "execution": {"taskSupport": "optional"}},
        dict(reversed(TOOL.items())),
    ],
)
def test_contracts_and_other_forms_are_no_wording(changed: dict[str, Any]) -> None:
    assert list_wording_changes(TOOL, changed) == []


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\U000e0041", "\x1b", "\ufeff"])
def test_hidden_characters_are_visible_in_the_text_of_a_change(hidden: str) -> None:
    (change,) = list_wording_changes({"description": "Adds."}, {"description": f"Adds.{hidden}"})
    assert hidden not in change.describe_wording()
    assert f"{ord(hidden):x}" in change.describe_wording()


def test_long_texts_are_cut_around_the_first_difference() -> None:
    (change,) = list_wording_changes({"description": "a" * 5_000}, {"description": "a" * 3_000 + "b" * 2_000})
    assert len(change.describe_wording()) < 400
    assert "aab" in change.describe_wording()


def test_a_deep_schema_is_compared() -> None:
    deep: Any = {"title": "T"}
    for _ in range(5_000):
        deep = {"not": deep}
    (change,) = list_wording_changes({"inputSchema": {}}, {"inputSchema": deep})
    assert change.after == "T"


def test_arguments_of_prompts_have_their_names() -> None:
    old: dict[str, Any] = {
        "name": "plan",
        "arguments": [{"name": "a", "description": "A"}, {"name": "b", "required": True}],
    }
    new: dict[str, Any] = {"name": "plan", "arguments": [{"name": "b"}, {"name": "a", "description": "B"}]}
    assert [change.pointer for change in list_wording_changes(old, new)] == ["/arguments/a/description"]
