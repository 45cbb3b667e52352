"""Comparison of all definitions before and after: every change that the enabled rules report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from mcpgen.compat.change import Change, SchemaLocator, locate_part, make_change
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.python_names import SCHEMA_POINTERS, PythonNames
from mcpgen.compat.rules.rule import Category, Definition, PresenceRule, Rule, is_about
from mcpgen.compat.schema_changes import SchemaComparison
from mcpgen.read.definitions import Definitions, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json, allow_deep_recursion, canonicalize

T = TypeVar("T")
D = TypeVar("D", ToolDefinition, ResourceDefinition, PromptDefinition)
_BARE_TOOL = '{"inputSchema":{"type":"object"},"name":""}'
"""Canonical JSON of a tool without any schema content, which only its name distinguishes from others."""
_RULE_ORDER = {id: index for index, id in enumerate(RULES)}


@dataclass(frozen=True)
class PackageSnapshot:
    """Definitions of a package at one time, and the Python names that are generated for them."""

    definitions: Definitions
    tools: Mapping[str, PythonNames]
    """Wire name of a tool → its Python names; tools whose names cannot have changed may be missing."""
    resources: Mapping[str, PythonNames]
    classes: frozenset[str]


@allow_deep_recursion()
def compare_definitions(
    old: PackageSnapshot, new: PackageSnapshot, disabled: frozenset[str] = frozenset()
) -> list[Change]:
    """Return the changes between two snapshots, sorted, without the `disabled` categories and rules."""
    rules = [rule for rule in RULES.values() if rule.id not in disabled and rule.category not in disabled]
    return sorted(_drop_repeated([*_list_changes(old, new, rules)]), key=_make_sort_key)


def _drop_repeated(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield each change once, and no addition or other wording where a rule reports an error at the same place."""
    errors = {(change.subject, change.pointer) for change in changes if change.breaking}
    for change in dict.fromkeys(changes):
        if (
            change.rule.category not in (Category.WORDING, Category.ADDITIONS)
            or (change.subject, change.pointer) not in errors
        ):
            yield change


def _make_sort_key(change: Change) -> tuple[str, str, int, int, int, str]:
    span = change.span
    return change.subject, span.file, span.line, span.column, _RULE_ORDER[change.rule.id], change.text


def _list_changes(old: PackageSnapshot, new: PackageSnapshot, rules: Sequence[Rule]) -> Iterator[Change]:
    before, after = old.definitions, new.definitions
    tools = [*pair_tools(before.tools, after.tools)]
    yield from _compare_all(tools, after.tools, rules)
    resources = [*pair_resources(before.resources, after.resources)]
    yield from _compare_all(resources, after.resources, rules)
    new_prompts = {prompt.name: prompt for prompt in after.prompts}
    yield from _compare_all([(prompt, new_prompts.get(prompt.name)) for prompt in before.prompts], after.prompts, rules)
    for old_tool, new_tool in tools:
        if new_tool is not None:
            yield from _compare_schemas(old_tool, new_tool, rules)
            yield from _compare_names(old_tool, new_tool, old.tools, new.tools, new.classes, rules)
    for old_resource, new_resource in resources:
        if new_resource is not None:
            yield from _compare_schemas(old_resource, new_resource, rules)
            yield from _compare_names(old_resource, new_resource, old.resources, new.resources, new.classes, rules)


# --- pairs of definitions: by name, and for renamed ones by their schemas or URI -------------------------------------
def pair_tools(
    old: Sequence[ToolDefinition], new: Sequence[ToolDefinition]
) -> Iterator[tuple[ToolDefinition, ToolDefinition | None]]:
    """Yield each old tool with the new tool of the same name, else with the one that it was renamed to."""
    new_by_name = {tool.name: tool for tool in new}
    old_by_name = {tool.name: tool for tool in old}
    added_by_schemas: dict[str, list[ToolDefinition]] = {}
    for tool in new_by_name.values():
        if tool.name not in old_by_name:
            added_by_schemas.setdefault(_serialize_schemas(tool), []).append(tool)
    for name, tool in old_by_name.items():
        yield tool, new_by_name.get(name) or _find_renamed_tool(tool, added_by_schemas)


def _find_renamed_tool(
    old: ToolDefinition, added_by_schemas: Mapping[str, list[ToolDefinition]]
) -> ToolDefinition | None:
    """Return the only added tool with the same schemas, None for a tool without any schema content."""
    if len(canonicalize(old.tool)) < len(_BARE_TOOL) + len(old.name) + 1:
        return None
    candidates = added_by_schemas.get(_serialize_schemas(old), [])
    return candidates[0] if len(candidates) == 1 else None


def _serialize_schemas(tool: ToolDefinition) -> str:
    schemas = (tool.input, tool.output)
    return "\n".join("" if schema is None else f"{schema.dialect} {canonicalize(schema.value)}" for schema in schemas)


def pair_resources(
    old: Sequence[ResourceDefinition], new: Sequence[ResourceDefinition]
) -> Iterator[tuple[ResourceDefinition, ResourceDefinition | None]]:
    """Yield each old resource with the new one of the same name, else with the one that has taken over its URI."""
    new_by_name = {resource.name: resource for resource in new}
    old_by_name = {resource.name: resource for resource in old}
    added_by_uri = {
        canonicalize(_get_uri(resource)): resource
        for resource in reversed(new_by_name.values())
        if resource.name not in old_by_name
    }
    for name, resource in old_by_name.items():
        yield resource, new_by_name.get(name) or added_by_uri.get(canonicalize(_get_uri(resource)))


def _get_uri(resource: ResourceDefinition) -> Json:
    return resource.resource.get("uri") or resource.resource.get("uriTemplate")


# --- definitions as a whole ------------------------------------------------------------------------------------------
def _compare_all(pairs: Sequence[tuple[D, D | None]], all_new: Sequence[D], rules: Sequence[Rule]) -> Iterator[Change]:
    for old, new in pairs:
        if new is None:
            yield from _report_presence(old, rules, is_addition=False)
        else:
            yield from _compare_by_rules(old, new, old, new, rules)
    known = {new.name for _, new in pairs if new is not None}
    for definition in all_new:
        if definition.name not in known:
            yield from _report_presence(definition, rules, is_addition=True)


def _report_presence(definition: Definition, rules: Sequence[Rule], *, is_addition: bool) -> Iterator[Change]:
    for rule in rules:
        if isinstance(rule, PresenceRule) and (rule.subject, rule.is_addition) == (type(definition), is_addition):
            yield make_change(rule, _make_title(definition), definition.name, rule.match, definition.span)


def _compare_by_rules(
    old: T, new: T, old_definition: Definition, new_definition: Definition, rules: Sequence[Rule]
) -> Iterator[Change]:
    for rule in rules:
        for match in rule.find(old, new) if is_about(rule, type(old)) else ():
            span = locate_part(new_definition, match.pointer)
            yield make_change(rule, _make_title(old_definition), old_definition.name, match, span)


def _make_title(definition: Definition) -> str:
    kinds = {ToolDefinition: "tool", ResourceDefinition: "resource", PromptDefinition: "prompt"}
    return f'{kinds[type(definition)]} "{definition.name}"'


# --- their schemas and Python names ----------------------------------------------------------------------------------
def _compare_schemas(
    old: ToolDefinition | ResourceDefinition, new: ToolDefinition | ResourceDefinition, rules: Sequence[Rule]
) -> Iterator[Change]:
    new_schemas = _index_schemas(new)
    for side, before in _index_schemas(old).items():
        if side in new_schemas:
            locator = SchemaLocator(new, new_schemas[side].value, SCHEMA_POINTERS[side].removeprefix("/"))
            category = Category.INPUT if side == "#input" else Category.OUTPUT
            title, after = _make_title(old), new_schemas[side]
            yield from SchemaComparison(title, old.name, category, before, after, locator, rules).list_changes()


def _compare_names(
    old: ToolDefinition | ResourceDefinition,
    new: ToolDefinition | ResourceDefinition,
    old_names: Mapping[str, PythonNames],
    new_names: Mapping[str, PythonNames],
    new_classes: frozenset[str],
    rules: Sequence[Rule],
) -> Iterator[Change]:
    if old.name in old_names and old.name in new_names:
        before, after = (
            replace(names[old.name], schemas={side: schema.value for side, schema in _index_schemas(at).items()})
            for names, at in ((old_names, old), (new_names, new))
        )
        yield from _compare_by_rules(before, replace(after, package_classes=new_classes), old, new, rules)


def _index_schemas(definition: ToolDefinition | ResourceDefinition) -> dict[str, Schema]:
    if isinstance(definition, ToolDefinition):
        schemas = {"#output": definition.output, "#input": definition.input}
    else:
        schemas = {"#resource": definition.payload}
    return {side: schema for side, schema in schemas.items() if schema is not None}
