"""Rules for what breaks nobody: what models and people read, and what is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from mcpgen_runtime.tool_contract import list_wording_changes

from mcpgen.compat.rules.rule import (
    Category,
    ComparisonRule,
    Definition,
    PresenceRule,
    RuleMatch,
    SubschemaPair,
    SubschemaRule,
)
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, parse_pointer

# --- titles, descriptions, annotations, icons, `_meta` and texts in schemas ------------------------------------------
_REFERRING_KEYWORDS = frozenset(["$ref", "$dynamicRef"]) | IN_PLACE_KEYWORDS
"""Keywords by which an object may have properties that are declared elsewhere."""


def _make_wording_rule(subject: type[Definition], member: str, doc: str) -> ComparisonRule[Any]:
    def compare_texts(old: Definition, new: Definition) -> Iterator[RuleMatch]:
        sides = getattr(old, member), getattr(new, member)
        for change in list_wording_changes(*sides):
            if not any(_is_in_lone_property(change.pointer, side) for side in sides):  # it comes with the property
                yield RuleMatch(change.describe_wording(), change.pointer)

    return ComparisonRule(
        f"{member}-wording-changed", Category.WORDING, doc, subject, compare_texts, severity=Severity.NOTE
    )


def _is_in_lone_property(pointer: str, other: Mapping[str, Json]) -> bool:
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


WORDING_RULES = (
    _make_wording_rule(
        ToolDefinition,
        "tool",
        "The wording of a tool for models and people has changed: its title, description, annotations, icons, "
        "`_meta`, or a description in its schemas.",
    ),
    _make_wording_rule(ResourceDefinition, "resource", "The wording of a resource for models and people has changed."),
    _make_wording_rule(
        PromptDefinition,
        "prompt",
        "The wording of a prompt, or of one of its arguments, for models and people has changed.",
    ),
)


# --- additions -------------------------------------------------------------------------------------------------------
def _find_new_properties(subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    old, new = (as_object(schema.get("properties")) for schema in (subschemas.old, subschemas.new))
    is_open = old and subschemas.old.get("additionalProperties") is not False
    for name in new if is_open else ():
        if name not in old and new[name] is not False:
            presence = "is always there" if name in as_array(subschemas.new.get("required")) else "may be absent"
            pointer = subschemas.pointer + format_pointer("properties", name)
            yield RuleMatch(f'the property "{name}" is new, and {presence}', pointer)


_make_addition_rule = partial(PresenceRule, match=RuleMatch("is new"), is_addition=True, severity=Severity.NOTE)
ADDITION_RULES = (
    _make_addition_rule("tool-added", Category.ADDITIONS, "A tool is new.", ToolDefinition),
    _make_addition_rule("resource-added", Category.ADDITIONS, "A resource or template is new.", ResourceDefinition),
    _make_addition_rule("prompt-added", Category.ADDITIONS, "A prompt is new.", PromptDefinition),
    SubschemaRule(
        "output-member-added",
        Category.ADDITIONS,
        "A result has a new property, which clients that do not know it ignore.",
        Category.OUTPUT,
        _find_new_properties,
        severity=Severity.NOTE,
    ),
)
