"""Rules for what models and people read: titles, descriptions, annotations, icons, `_meta` and texts in schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen_runtime.tool_contract import list_wording_changes

from mcpgen.compat.rules.rule import (
    Category,
    PromptPair,
    PromptRule,
    ResourcePair,
    ResourceRule,
    RuleMatch,
    ToolPair,
    ToolRule,
)
from mcpgen.diagnostics import Severity
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS
from mcpgen.schema.values import Json, as_array, as_object, parse_pointer


def _compare_tool(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None:
        yield from _list_matches(pair.old.tool, pair.new.tool)


def _compare_resource(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is not None:
        yield from _list_matches(pair.old.resource, pair.new.resource)


def _compare_prompt(pair: PromptPair) -> Iterator[RuleMatch]:
    if pair.new is not None:
        yield from _list_matches(pair.old.prompt, pair.new.prompt)


def _list_matches(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[RuleMatch]:
    """Yield a match for each part that says something else, with every hidden character visible.

    The texts of a property that only one version has come with the property.
    """
    for change in list_wording_changes(old, new):
        if not any(_is_in_lone_property(change.pointer, other) for other in (old, new)):
            yield RuleMatch(change.describe_wording(), change.pointer)


def _is_in_lone_property(pointer: str, other: Mapping[str, Json]) -> bool:
    """Check whether a text is in a property, or an argument of a prompt, that another version does not have."""
    path = parse_pointer(pointer)
    if path[0] == "arguments" and len(path) > 1:
        return path[1] not in (as_object(argument).get("name") for argument in as_array(other.get("arguments")))
    container: Json = {**other}
    for index, token in enumerate(path):
        members = as_object(container)
        if token not in members:
            declares_none = token == "properties" and index + 1 < len(path) and _REFERRING_KEYWORDS.isdisjoint(members)
            return declares_none or path[index - 1 : index] == ["properties"]
        container = members[token]
    return False


_REFERRING_KEYWORDS = frozenset(["$ref", "$dynamicRef"]) | IN_PLACE_KEYWORDS
"""Keywords by which an object may have properties that are declared elsewhere."""


WORDING_RULES = (
    ToolRule(
        "tool-wording-changed",
        Category.WORDING,
        "The wording of a tool for models and people has changed: its title, description, annotations, icons, "
        "`_meta`, or a description in its schemas.",
        _compare_tool,
        severity=Severity.NOTE,
    ),
    ResourceRule(
        "resource-wording-changed",
        Category.WORDING,
        "The wording of a resource for models and people has changed.",
        _compare_resource,
        severity=Severity.NOTE,
    ),
    PromptRule(
        "prompt-wording-changed",
        Category.WORDING,
        "The wording of a prompt, or of one of its arguments, for models and people has changed.",
        _compare_prompt,
        severity=Severity.NOTE,
    ),
)
