"""Rules for what models and people read: titles, descriptions, annotations, icons, `_meta` and texts in schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from mcpgen.schema.values import Json, canonicalize, format_pointer, has_pointer, parse_pointer
from mcpgen.schema.wording import WordingChange, list_wording_changes


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

    The title of a property that only one version has comes with the property. A property with another name and the
    same texts says nothing else.
    """
    changes = list_wording_changes(old, new)
    renamed = _list_renamed(changes, old, new)
    for change in changes:
        if change.pointer not in renamed and not (
            _is_title_of_property(change.pointer) and _is_lone_part(change.pointer, old, new)
        ):
            yield RuleMatch(str(change), change.pointer)


def _list_renamed(changes: Sequence[WordingChange], old: Mapping[str, Json], new: Mapping[str, Json]) -> frozenset[str]:
    """Return the pointers of the texts that a property took along when it got another name, before and after."""
    gone: dict[tuple[str, ...], list[str]] = {}
    added: dict[tuple[str, ...], list[str]] = {}
    for change in changes:
        if change.after is None:
            side, text, other = gone, change.before, new
        else:
            side, text, other = added, change.after, old
        path = parse_pointer(change.pointer)
        index = _find_lone_property(path, other)
        if index and (change.after is None or change.before is None):
            place = (*path[:index], "", *path[index + 1 :], canonicalize(text))
            side.setdefault(place, []).append(change.pointer)
    both = gone.keys() & added.keys()
    return frozenset(pointer for place in both for pointer in (*gone[place], *added[place]))


def _find_lone_property(path: Sequence[str], other: Mapping[str, Json]) -> int:
    """Return the index in a path of the property that another version does not have; 0 if it lacks something else."""
    for index in range(1, len(path)):
        if not has_pointer(dict(other), format_pointer(*path[: index + 1])):
            return index if path[index - 1] == "properties" else 0
    return 0


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
