"""Turn equal objects into one class: of one tool in its module, of several in the module of shared classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mcpgen.ir.package import ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import NameOrigin, Node, ObjectClass, Sharing, Type, Union
from mcpgen.ir.visitors import (
    collect_refs,
    list_node_types,
    map_references,
    rebuild_node,
    rebuild_type,
)
from mcpgen.names.class_words import NamedGroup, find_group_names, name_groups

SHARED_MODULE = "types"
"""The module of shared classes, with which their ids start."""
ModuleKey = tuple[str, str]
"""`tool` or `resource`, and its wire name."""
Use = tuple[ModuleKey, str]
"""A class or alias of a module, by its id."""


@dataclass(frozen=True)
class SharedTypes:
    """Tools and resources without their shared classes, and the shared classes."""

    tools: list[ToolModule]
    resources: list[ResourceModule]
    nodes: list[Node]
    """The shared classes and aliases, in the order in which they get their names; their ids start with `types`."""
    ids: Mapping[ModuleKey, Mapping[str, str]]
    """Id of a class or alias that was replaced by a shared one → id of the shared one, by module."""
    uses: Mapping[str, Sequence[Use]] = field(default_factory=dict[str, Sequence[Use]])
    """Id of a shared class or alias → the classes or aliases that it replaced."""


def share_types(tools: Sequence[ToolModule], resources: Sequence[ResourceModule]) -> SharedTypes:
    """Make one class of equal objects, wherever they are defined, and one alias of equal definitions.

    Objects with different titles, definition keys or names chosen by the user stay separate. Whatever a shared
    class refers to is shared with it.
    """
    roots: dict[ModuleKey, list[SchemaRoot]] = {("tool", tool.wire): tool.roots for tool in tools}
    for resource in resources:
        roots["resource", resource.id] = [] if resource.payload is None else [resource.payload]
    groups = _find_groups(roots)
    if not groups:
        return SharedTypes([*tools], [*resources], [], {})
    modules = {key: {node.id: node for root in roots[key] for node in root.nodes} for key in roots}
    shared = _choose_shared(groups, modules)
    ids: dict[ModuleKey, dict[str, str]] = defaultdict(dict)
    merged: dict[ModuleKey, dict[str, Node]] = defaultdict(dict)
    for group in groups:
        for module, node_id in group.uses:
            if node_id != group.id:
                ids[module][node_id] = group.id
        if not group.is_shared:
            module, node_id = group.uses[0]
            merged[module][node_id] = group.merged
    nodes: list[Node] = []
    for group, names in zip(shared, name_groups([group.describe(modules) for group in shared]), strict=True):
        node = replace(group.merged, id=group.id, name_candidates=names)
        nodes.append(_map_node(node, ids[group.module]))
    payloads = [_replace_in_root(it.payload, ids["resource", it.id], merged["resource", it.id]) for it in resources]
    return SharedTypes(
        [_replace_in_tool(tool, ids["tool", tool.wire], merged["tool", tool.wire]) for tool in tools],
        [replace(resource, payload=payload) for resource, payload in zip(resources, payloads, strict=True)],
        nodes,
        {key: ids[key] for key in ids if ids[key]},
        {group.id: group.uses for group in groups if group.is_shared},
    )


def _replace_in_tool(tool: ToolModule, ids: Mapping[str, str], merged: Mapping[str, Node]) -> ToolModule:
    if not ids:
        return tool
    output, input, error = (_replace_in_root(root, ids, merged) for root in (tool.output, tool.input, tool.error))
    assert input is not None
    return replace(tool, output=output, input=input, error=error)


def _replace_in_root(root: SchemaRoot | None, ids: Mapping[str, str], merged: Mapping[str, Node]) -> SchemaRoot | None:
    if root is None or not ids:
        return root
    remaining = (merged.get(node.id, node) for node in root.nodes if node.id not in ids)
    return replace(root, type=_map_types(root.type, ids), nodes=tuple(_map_node(node, ids) for node in remaining))


@dataclass
class _Group:
    """Equal classes or aliases, those of results first."""

    uses: list[Use]
    nodes: list[Node]
    is_shared: bool = False
    id: str = ""

    @property
    def module(self) -> ModuleKey:
        return self.uses[0][0]

    @property
    def modules(self) -> set[ModuleKey]:
        return {module for module, _ in self.uses}

    @cached_property
    def merged(self) -> Node:
        """The first node; the description stays if all agree, or those whose definition or title names the group."""
        origin = min((node.name_origin for node in self.nodes), key=lambda origin: origin.rank)
        best = [node for node in self.nodes if node.name_origin is origin]
        descriptions = {node.description for node in (self.nodes if origin is NameOrigin.PATH else best)}
        return replace(
            self.nodes[0],
            name_candidates=find_group_names(self.nodes),
            name_origin=origin,
            description=descriptions.pop() if len(descriptions) == 1 else "",
        )

    def describe(self, modules: Mapping[ModuleKey, Mapping[str, Node]]) -> NamedGroup:
        return NamedGroup(
            self.nodes,
            self.merged.name_candidates,
            modules[self.module],
            sorted(wire for _, wire in self.modules),
        )


def _choose_shared(groups: list[_Group], modules: Mapping[ModuleKey, Mapping[str, Node]]) -> list[_Group]:
    """Share the groups of several modules, and what these refer to; return the shared ones, the most used first."""
    groups_by_use = {use: group for group in groups for use in group.uses}
    pending = [group for group in groups if len(group.modules) > 1]
    while pending:
        group = pending.pop()
        if group.is_shared:
            continue
        group.is_shared = True
        module, node_id = group.uses[0]
        for target in collect_refs(*list_node_types(modules[module][node_id])):
            if (module, target) not in groups_by_use:
                groups_by_use[module, target] = _Group([(module, target)], [modules[module][target]])
                groups.append(groups_by_use[module, target])
            pending.append(groups_by_use[module, target])
    for group in groups:
        group.id = _make_shared_id(group) if group.is_shared else group.uses[0][1]
    return sorted((group for group in groups if group.is_shared), key=_rate_group)


def _rate_group(group: _Group) -> tuple[int, int, int, str]:
    node = group.nodes[0]
    size = len(node.fields) if isinstance(node, ObjectClass) else 0
    return node.name_origin.rank, -len(group.modules), size, group.id


def _find_groups(modules: Mapping[ModuleKey, list[SchemaRoot]]) -> list[_Group]:
    by_digest: dict[str, list[tuple[Use, Node]]] = defaultdict(list)
    for module, roots in modules.items():
        for root in roots:
            for node in root.shareable:
                assert node.sharing is not None
                by_digest[node.sharing.digest].append(((module, node.id), node))
    groups: list[_Group] = []
    for digest in sorted(by_digest):
        if len(by_digest[digest]) > 1:
            for members in _split_by_name(by_digest[digest]):
                if len(members) > 1:
                    ordered = sorted(members, key=_rate_member)
                    groups.append(_Group([use for use, _ in ordered], [node for _, node in ordered]))
    return groups


def _rate_member(member: tuple[Use, Node]) -> tuple[bool, int, Use]:
    use, node = member
    return not node.id.startswith("output"), node.name_origin.rank, use


def _split_by_name(members: list[tuple[Use, Node]]) -> list[list[tuple[Use, Node]]]:
    """Split nodes of equal content by their names. Nodes without a name get the most frequent one. A name that the
    user chose for one of them is used for all, unless the user chose several.
    """
    by_given: dict[str, list[tuple[Use, Node]]] = defaultdict(list)
    for member in members:
        by_given[_get_sharing(member[1]).given].append(member)
    named = sorted((name for name in by_given if name), key=lambda name: (-len(by_given[name]), name))
    if named and "" in by_given:
        by_given[named[0]] += by_given.pop("")
    groups: list[list[tuple[Use, Node]]] = []
    for given_name in sorted(by_given):
        by_chosen: dict[str, list[tuple[Use, Node]]] = defaultdict(list)
        for member in by_given[given_name]:
            is_chosen = member[1].name_origin is NameOrigin.CHOSEN
            by_chosen["".join(member[1].name_candidates[0]) if is_chosen else ""].append(member)
        chosen = [name for name in by_chosen if name]
        if len(chosen) == 1:
            by_chosen[chosen[0]] += by_chosen.pop("", [])
        groups += [by_chosen[name] for name in sorted(by_chosen)]
    return groups


def _get_sharing(node: Node) -> Sharing:
    assert node.sharing is not None
    return node.sharing


def _make_shared_id(group: _Group) -> str:
    node = group.merged
    kind = ":" if isinstance(node, ObjectClass) else "~"
    name = " ".join(node.name_candidates[0]) if node.name_origin is not NameOrigin.PATH else ""
    return f"{SHARED_MODULE}{kind}{name} {_get_sharing(node).digest[:20]}"


def _map_node(node: Node, ids: Mapping[str, str]) -> Node:
    return rebuild_node(node, lambda inner: _map_types(inner, ids))


def _map_types(node: Type, ids: Mapping[str, str]) -> Type:
    return node if ids.keys().isdisjoint(collect_refs(node)) else _drop_repeated(map_references(node, ids))


def _drop_repeated(node: Type) -> Type:
    rebuilt = rebuild_type(node, _drop_repeated)
    if not isinstance(rebuilt, Union):
        return rebuilt
    members = tuple(dict.fromkeys(rebuilt.members))
    if len(members) == len(rebuilt.members):
        return rebuilt
    return members[0] if len(members) == 1 else replace(rebuilt, members=members)
