"""Pairs of definitions before and after: by name, and for renamed ones by their schemas or URI."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from mcpgen.compat.rules.rule import SubschemaPair
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, canonicalize, follow_pointer, format_pointer, parse_pointer

_BARE_TOOL = '{"inputSchema":{"type":"object"},"name":""}'
"""Canonical JSON of a tool without any schema content, which only its name distinguishes from others."""


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
    """Return the only added tool with the same schemas, None for a tool without any schema content to recognize it
    by."""
    if len(canonicalize(old.tool)) < len(_BARE_TOOL) + len(old.name) + 1:
        return None
    candidates = added_by_schemas.get(_serialize_schemas(old), [])
    return candidates[0] if len(candidates) == 1 else None


def _serialize_schemas(tool: ToolDefinition) -> str:
    """Return a tool's schemas and their dialects as text."""
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


def pair_subschemas(old: Schema, new: Schema, ignored: Collection[str] = frozenset()) -> Iterator[SubschemaPair]:
    """Yield the subschemas that both schemas have at the same JSON pointer.

    Args:
        old: the schema before.
        new: the schema after.
        ignored: keywords whose subschemas are left out.
    """
    stack: list[tuple[str, Json]] = [("", old.value)]
    while stack:
        pointer, before = stack.pop()
        if not isinstance(before, dict):
            continue
        try:
            after = follow_pointer(new.value, parse_pointer(pointer))
        except KeyError:
            continue
        if isinstance(after, dict):
            yield SubschemaPair(pointer, {**before}, {**after})
        stack.extend(
            (pointer + format_pointer(*path), inner)
            for path, inner in iterate_subschemas(before, old.dialect)
            if path[0] not in ignored
        )
