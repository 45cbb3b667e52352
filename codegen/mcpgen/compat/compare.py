"""Comparison of all definitions before and after: every change that the enabled rules report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.compat.change import Change, make_change
from mcpgen.compat.locations import SchemaLocator, locate_part
from mcpgen.compat.pairing import pair_resources, pair_tools
from mcpgen.compat.python_names import PythonNames
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import (
    AdditionRule,
    Category,
    PromptPair,
    PromptRule,
    PythonNamesPair,
    PythonNamesRule,
    ResourcePair,
    ResourceRule,
    Rule,
    RuleMatch,
    ToolPair,
    ToolRule,
)
from mcpgen.compat.schema_changes import SchemaComparison
from mcpgen.read.definitions import Definitions, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json, allow_deep_recursion


@dataclass(frozen=True)
class PackageSnapshot:
    """Definitions of a package at one time, and the Python names that are generated for them."""

    definitions: Definitions
    tools: Mapping[str, PythonNames]
    """Wire name of a tool → its Python names; tools whose names cannot have changed may be missing."""
    resources: Mapping[str, PythonNames]
    classes: frozenset[str]
    """All classes of the package."""


@allow_deep_recursion()
def compare_definitions(
    old: PackageSnapshot, new: PackageSnapshot, disabled: frozenset[str] = frozenset()
) -> list[Change]:
    """Return the changes from one snapshot to another, sorted by subject and place.

    Args:
        old: the package before.
        new: the package after.
        disabled: categories and ids of rules to leave out.
    """
    rules = [rule for rule in RULES.values() if rule.id not in disabled and rule.category not in disabled]
    changes: list[Change] = []
    tool_pairs = [*pair_tools(old.definitions.tools, new.definitions.tools)]
    resource_pairs = [*pair_resources(old.definitions.resources, new.definitions.resources)]
    for tools in tool_pairs:
        subject = f'tool "{tools.old.name}"'
        changes += _compare_tools(tools, subject, rules)
        if tools.new is not None and (names := _pair_names(tools.old, tools.new, old.tools, new.tools, new.classes)):
            changes += _compare_names(names, subject, tools.old.name, tools.new, rules)
    for resources in resource_pairs:
        subject = f'resource "{resources.old.name}"'
        changes += _compare_resources(resources, subject, rules)
        if resources.new is not None and (
            names := _pair_names(resources.old, resources.new, old.resources, new.resources, new.classes)
        ):
            changes += _compare_names(names, subject, resources.old.name, resources.new, rules)
    changes += _compare_prompts(old.definitions.prompts, new.definitions.prompts, rules)
    known = {pair.new.name for pair in tool_pairs if pair.new is not None}
    changes += _list_additions("tool", new.definitions.tools, known, rules)
    known = {pair.new.name for pair in resource_pairs if pair.new is not None}
    changes += _list_additions("resource", new.definitions.resources, known, rules)
    known = {prompt.name for prompt in old.definitions.prompts}
    changes += _list_additions("prompt", new.definitions.prompts, known, rules)
    return sorted(_drop_repeated(changes), key=_make_sort_key)


def _drop_repeated(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield each change once, and no addition or other wording where a rule reports an error at the same place."""
    errors = {(change.subject, change.pointer) for change in changes if change.breaking}
    for change in dict.fromkeys(changes):
        if (
            change.rule.category not in (Category.WORDING, Category.ADDITIONS)
            or (change.subject, change.pointer) not in errors
        ):
            yield change


_RULE_ORDER = {id: index for index, id in enumerate(RULES)}


def _make_sort_key(change: Change) -> tuple[str, str, int, int, int, str]:
    span = change.span
    return change.subject, span.file, span.line, span.column, _RULE_ORDER[change.rule.id], change.text


def _list_additions(
    kind: str,
    definitions: Sequence[ToolDefinition | ResourceDefinition | PromptDefinition],
    known: Collection[str],
    rules: Sequence[Rule],
) -> Iterator[Change]:
    """Yield the definitions of a kind that the old version does not have, under any name."""
    for rule in rules:
        if isinstance(rule, AdditionRule) and rule.kind == kind:
            for definition in definitions:
                if definition.name not in known:
                    subject = f'{kind} "{definition.name}"'
                    yield make_change(rule, subject, definition.name, RuleMatch("is new"), definition.span)


def _compare_tools(tools: ToolPair, subject: str, rules: Sequence[Rule]) -> Iterator[Change]:
    old, new = tools.old, tools.new
    for rule in rules:
        for match in rule.find(tools) if isinstance(rule, ToolRule) else ():
            yield make_change(rule, subject, old.name, match, locate_part(new or old, match.pointer))
    if new is None:
        return
    if old.output is not None and new.output is not None:
        locator = SchemaLocator(new, new.output.value, "outputSchema")
        category = Category.OUTPUT
        yield from SchemaComparison(subject, old.name, category, old.output, new.output, locator, rules).list_changes()
    locator = SchemaLocator(new, new.input.value, "inputSchema")
    yield from SchemaComparison(subject, old.name, Category.INPUT, old.input, new.input, locator, rules).list_changes()


def _compare_resources(resources: ResourcePair, subject: str, rules: Sequence[Rule]) -> Iterator[Change]:
    old, new = resources.old, resources.new
    for rule in rules:
        for match in rule.find(resources) if isinstance(rule, ResourceRule) else ():
            yield make_change(rule, subject, old.name, match, locate_part(new or old, match.pointer))
    if new is not None and old.payload is not None and new.payload is not None:
        locator = SchemaLocator(new, new.payload.value, "x-mcpgen/schema")
        yield from SchemaComparison(
            subject, old.name, Category.OUTPUT, old.payload, new.payload, locator, rules
        ).list_changes()


def _compare_prompts(
    old: Sequence[PromptDefinition], new: Sequence[PromptDefinition], rules: Sequence[Rule]
) -> Iterator[Change]:
    new_by_name = {prompt.name: prompt for prompt in new}
    for before in old:
        prompts = PromptPair(before, new_by_name.get(before.name))
        span = (prompts.new or before).span
        for rule in rules:
            for match in rule.find(prompts) if isinstance(rule, PromptRule) else ():
                yield make_change(rule, f'prompt "{before.name}"', before.name, match, span)


def _pair_names(
    before: ToolDefinition | ResourceDefinition,
    after: ToolDefinition | ResourceDefinition,
    old: Mapping[str, PythonNames],
    new: Mapping[str, PythonNames],
    new_classes: frozenset[str],
) -> PythonNamesPair | None:
    name = before.name
    if name not in old or name not in new:
        return None
    return PythonNamesPair(old[name], new[name], new_classes, _list_schemas(before), _list_schemas(after))


def _list_schemas(definition: ToolDefinition | ResourceDefinition) -> dict[str, Json]:
    """Return the schemas of a definition, by the first part of the places in them."""
    if isinstance(definition, ToolDefinition):
        schemas = {"#input": definition.input, "#output": definition.output}
    else:
        schemas = {"#resource": definition.payload}
    return {side: schema.value for side, schema in schemas.items() if schema is not None}


def _compare_names(
    names: PythonNamesPair,
    subject: str,
    name: str,
    new: ToolDefinition | ResourceDefinition,
    rules: Sequence[Rule],
) -> Iterator[Change]:
    for rule in rules:
        for match in rule.find(names) if isinstance(rule, PythonNamesRule) else ():
            yield make_change(rule, subject, name, match, locate_part(new, match.pointer))
