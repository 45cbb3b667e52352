"""Rules for what models and people read: titles, descriptions, annotations, icons, `_meta` and texts in schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from mcpgen.schema.values import Json, has_pointer, parse_pointer
from mcpgen.schema.wording import list_wording_changes


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

    The title of a property that only one version has comes with the property.
    """
    for change in list_wording_changes(old, new):
        if not (_is_title_of_property(change.pointer) and _is_lone_part(change.pointer, old, new)):
            yield RuleMatch(str(change), change.pointer)


def _is_title_of_property(pointer: str) -> bool:
    return parse_pointer(pointer)[-3::2] == ["properties", "title"]


def _is_lone_part(pointer: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> bool:
    """Check whether only one of two definitions has the part that a text is in, and both have what that is in."""
    part = pointer.rpartition("/")[0]
    properties = part.rpartition("/")[0]
    definitions = dict(old), dict(new)
    has_properties = all(has_pointer(definition, properties) for definition in definitions)
    return has_properties and not all(has_pointer(definition, part) for definition in definitions)


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
