"""Turn definitions that several schemas have in common into one set of classes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from mcpgen.ir.package import ResourceModule, SchemaRoot, ShareableDefinition, ToolModule
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import map_references, rebuild_node
from mcpgen.lower.node_ids import list_definition_pointers, split_node_id

SHARED_MODULE = "types"
"""The module of shared classes, with which their ids start."""

DefinitionKey = tuple[str, str]
"""The pointer and the digest of a definition."""


def share_types(
    tools: list[ToolModule], resources: list[ResourceModule]
) -> tuple[list[ToolModule], list[ResourceModule], list[Node]]:
    """Take shared classes out of tools and resources.

    A definition is shared when two schemas have it with the same name and content, and no other two schemas have
    another one of that name. What it reaches is shared with it.

    Returns:
        The tools, the resources, and the shared classes, whose ids start with `types`.
    """
    roots = [root for tool in tools for root in (tool.output, tool.input) if root is not None]
    roots += [resource.payload for resource in resources if resource.payload is not None]
    extraction = _SharedNodeExtraction(_choose_shared(roots))
    if not extraction.chosen:
        return tools, resources, []
    remaining_tools: list[ToolModule] = []
    for tool in tools:
        output = None if tool.output is None else extraction.extract(tool.output)
        arguments = extraction.extract(tool.input)
        is_same = output is tool.output and arguments is tool.input
        remaining_tools.append(tool if is_same else replace(tool, output=output, input=arguments))
    remaining_resources = [
        replace(resource, payload=None if resource.payload is None else extraction.extract(resource.payload))
        for resource in resources
    ]
    return remaining_tools, remaining_resources, [extraction.nodes[key] for key in sorted(extraction.nodes)]


def _choose_shared(roots: list[SchemaRoot]) -> set[DefinitionKey]:
    """Return the definitions to share."""
    uses: dict[DefinitionKey, int] = defaultdict(int)
    references: dict[DefinitionKey, set[DefinitionKey]] = {}
    for root in roots:
        digests = {definition.pointer: definition.digest for definition in root.shareable}
        for definition in root.shareable:
            key = _make_key(definition)
            uses[key] += 1
            references[key] = {(pointer, digests.get(pointer, "")) for pointer in definition.references}
    repeated = [key for key, count in uses.items() if count > 1]
    digests_by_name: dict[str, set[str]] = defaultdict(set)
    for pointer, digest in repeated:
        digests_by_name[_get_name(pointer)].add(digest)
    candidates = {key for key in repeated if len(digests_by_name[_get_name(key[0])]) == 1}
    return _drop_incomplete(candidates, references)


def _drop_incomplete(
    candidates: set[DefinitionKey], references: dict[DefinitionKey, set[DefinitionKey]]
) -> set[DefinitionKey]:
    """Return the candidates that reach nothing but candidates."""
    chosen = set(candidates)
    users: dict[DefinitionKey, list[DefinitionKey]] = defaultdict(list)
    for key, targets in references.items():
        for target in targets:
            users[target].append(key)
    todo = [key for key in users if key not in chosen]
    while todo:
        dropped = [key for key in users[todo.pop()] if key in chosen]
        chosen.difference_update(dropped)
        todo.extend(dropped)
    return chosen


def _make_key(definition: ShareableDefinition) -> DefinitionKey:
    return definition.pointer, definition.digest


def _get_name(pointer: str) -> str:
    return pointer.rpartition("/")[2]


@dataclass
class _SharedNodeExtraction:
    """Moves the classes of the chosen definitions out of roots."""

    chosen: set[DefinitionKey]
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    """The shared classes, by id."""

    def extract(self, root: SchemaRoot) -> SchemaRoot:
        """Return a root without its shared classes, which are added to `nodes`."""
        pointers = {definition.pointer for definition in root.shareable if _make_key(definition) in self.chosen}
        if not pointers:
            return root
        new_ids: dict[str, str] = {}
        for node in root.nodes:
            kind, places = split_node_id(node.id)
            if pointers.issuperset(list_definition_pointers(places)):
                new_ids[node.id] = f"{SHARED_MODULE}{kind}{places}"
        remaining: list[Node] = []
        for node in root.nodes:
            renamed = _rename_node(node, new_ids)
            if node.id in new_ids:
                self.nodes.setdefault(renamed.id, renamed)
            else:
                remaining.append(renamed)
        return replace(root, type=map_references(root.type, new_ids), nodes=tuple(remaining))


def _rename_node(node: Node, new_ids: dict[str, str]) -> Node:
    rebuilt = rebuild_node(node, lambda inner: map_references(inner, new_ids))
    return replace(rebuilt, id=new_ids.get(node.id, node.id))
