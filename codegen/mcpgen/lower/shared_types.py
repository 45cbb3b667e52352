"""Turn equal objects into one class: of one tool in its module, of several in the module of shared classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen.ir.package import ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import NameOrigin, Node, ObjectClass, Ref, Sharing, Type, Union
from mcpgen.ir.visitors import (
    collect_refs,
    find_reachable,
    list_node_types,
    map_references,
    rebuild_node,
    rebuild_type,
    reverse_edges,
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
    modules: dict[ModuleKey, list[SchemaRoot]] = {}
    for tool in tools:
        modules["tool", tool.wire] = tool.roots
    for resource in resources:
        modules["resource", resource.id] = [] if resource.payload is None else [resource.payload]
    merger = _Merger(modules)
    if not merger.ids:
        return SharedTypes([*tools], [*resources], [], {})
    return SharedTypes(
        [merger.change_tool(tool) for tool in tools],
        [merger.change_resource(resource) for resource in resources],
        merger.make_shared_nodes(),
        merger.ids,
        merger.list_uses(),
    )


def apply_sharing(tool: ToolModule, shared_ids: Mapping[str, str]) -> ToolModule:
    """Return a tool as `share_types` does in its package, given the shared class for each id that one replaces."""
    if shared_ids:
        output = None if tool.output is None else _replace_shared(tool.output, shared_ids)
        tool = replace(tool, output=output, input=_replace_shared(tool.input, shared_ids))
    return share_types([tool], []).tools[0]


def _replace_shared(root: SchemaRoot, shared_ids: Mapping[str, str]) -> SchemaRoot:
    nodes = [
        rebuild_node(node, lambda inner: _map_types(inner, shared_ids))
        for node in root.nodes
        if node.id not in shared_ids
    ]
    return replace(root, type=_map_types(root.type, shared_ids), nodes=tuple(nodes))


@dataclass
class _Group:
    """Equal classes or aliases, those of results first."""

    uses: list[Use]
    nodes: list[Node]
    is_shared: bool = False
    id: str = ""

    @property
    def modules(self) -> set[ModuleKey]:
        return {module for module, _ in self.uses}


class _Merger:
    """Finds what is equal in some modules, and replaces it."""

    def __init__(self, modules: Mapping[ModuleKey, list[SchemaRoot]]) -> None:
        self._groups = _find_groups(modules)
        self._nodes = {
            (module, node.id): node for module, roots in modules.items() for root in roots for node in root.nodes
        }
        self._groups_by_use = {use: group for group in self._groups for use in group.uses}
        self._share_groups()
        self.ids: dict[ModuleKey, dict[str, str]] = defaultdict(dict)
        self._merged: dict[Use, Node] = {}
        """The node that stands for those of a group in their module, by its use."""
        for group in self._groups:
            for module, node_id in group.uses:
                if node_id != group.id:
                    self.ids[module][node_id] = group.id
            if not group.is_shared:
                self._merged[group.uses[0]] = _merge_nodes(group)

    def _share_groups(self) -> None:
        """Decide which groups are shared: those of several modules, and what these refer to."""
        pending = [group for group in self._groups if len(group.modules) > 1]
        while pending:
            group = pending.pop()
            if group.is_shared:
                continue
            group.is_shared = True
            module, node_id = group.uses[0]
            for target in collect_refs(*list_node_types(self._nodes[module, node_id])):
                earlier_group = self._groups_by_use.get((module, target))
                if earlier_group is None:
                    earlier_group = _Group([(module, target)], [self._nodes[module, target]])
                    self._groups.append(earlier_group)
                    self._groups_by_use[module, target] = earlier_group
                pending.append(earlier_group)
        for group in self._groups:
            group.id = _make_shared_id(group) if group.is_shared else group.uses[0][1]

    def make_shared_nodes(self) -> list[Node]:
        """Return the shared classes and aliases, those that more modules use first."""
        shared = [group for group in self._groups if group.is_shared]
        origins = [*NameOrigin]

        def rate(group: _Group) -> tuple[int, int, int, str]:
            node = group.nodes[0]
            size = len(node.fields) if isinstance(node, ObjectClass) else 0
            return origins.index(node.name_origin), -len(group.modules), size, group.id

        shared.sort(key=rate)
        nodes: list[Node] = []
        own: dict[ModuleKey, dict[str, Node]] = defaultdict(dict)
        for (module, node_id), node in self._nodes.items():
            own[module][node_id] = node
        described = [
            NamedGroup(group.nodes, own[group.uses[0][0]], sorted(wire for _, wire in group.modules))
            for group in shared
        ]
        for group, names in zip(shared, name_groups(described), strict=True):
            node = replace(_merge_nodes(group), name_candidates=names)
            nodes.append(self._rename(node, group.uses[0][0], group.id))
        return nodes

    def list_uses(self) -> dict[str, list[Use]]:
        """Return the classes or aliases that each shared one replaced, by its id."""
        return {group.id: group.uses for group in self._groups if group.is_shared}

    def change_tool(self, tool: ToolModule) -> ToolModule:
        """Return a tool without the nodes that shared ones replace."""
        module = ("tool", tool.wire)
        if module not in self.ids:
            return tool
        output = None if tool.output is None else self._change_root(tool.output, module)
        return replace(tool, output=output, input=self._change_root(tool.input, module))

    def change_resource(self, resource: ResourceModule) -> ResourceModule:
        """Return a resource without the nodes that shared ones replace."""
        module = ("resource", resource.id)
        if module not in self.ids or resource.payload is None:
            return resource
        return replace(resource, payload=self._change_root(resource.payload, module))

    def _change_root(self, root: SchemaRoot, module: ModuleKey) -> SchemaRoot:
        ids = self.ids[module]
        remaining = [self._merged.get((module, node.id), node) for node in root.nodes if node.id not in ids]
        nodes = tuple(self._rename(node, module, node.id) for node in remaining)
        return replace(root, type=_map_types(root.type, ids), nodes=nodes)

    def _rename(self, node: Node, module: ModuleKey, node_id: str) -> Node:
        return replace(rebuild_node(node, lambda inner: _map_types(inner, self.ids[module])), id=node_id)


def _find_groups(modules: Mapping[ModuleKey, list[SchemaRoot]]) -> list[_Group]:
    """Return the groups of at least two equal nodes that may become one."""
    by_digest: dict[str, list[tuple[Use, Node]]] = defaultdict(list)
    for module, roots in modules.items():
        for root in roots:
            for node in list_shareable(root):
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
    (module, node_id), node = member
    return not node_id.startswith("output"), [*NameOrigin].index(node.name_origin), (module, node_id)


def list_shareable(root: SchemaRoot) -> Iterable[Node]:
    """Return the nodes of a root that do not depend on their place: they do not lead to the root's own class."""
    if len(root.nodes) == 1 and root.type == Ref(root.nodes[0].id):
        return ()
    excluded = [node.id for node in root.nodes if node.sharing is None or root.type == Ref(node.id)]
    if excluded:
        edges = {node.id: collect_refs(*list_node_types(node)) for node in root.nodes}
        dependent = find_reachable(reverse_edges(edges), excluded)
        return [node for node in root.nodes if node.id not in dependent]
    return root.nodes


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


def _merge_nodes(group: _Group) -> Node:
    """Return the first node of a group, with the names and the description that fit all of them.

    The description is kept if all nodes agree, or those whose definition or title names the group.
    """
    origin = min((node.name_origin for node in group.nodes), key=[*NameOrigin].index)
    best = [node for node in group.nodes if node.name_origin is origin]
    described = group.nodes if origin is NameOrigin.PATH else best
    descriptions = {node.description for node in described}
    return replace(
        group.nodes[0],
        name_candidates=find_group_names(group.nodes),
        name_origin=origin,
        description=descriptions.pop() if len(descriptions) == 1 else "",
    )


def _make_shared_id(group: _Group) -> str:
    """Return an id that differs from those of groups with equal content and other names."""
    node = _merge_nodes(group)
    kind = ":" if isinstance(node, ObjectClass) else "~"
    name = " ".join(node.name_candidates[0]) if node.name_origin is not NameOrigin.PATH else ""
    return f"{SHARED_MODULE}{kind}{name} {_get_sharing(node).digest[:20]}"


def _map_types(node: Type, ids: Mapping[str, str]) -> Type:
    """Return a type that refers to the new ids; union members that became equal are merged."""
    return _drop_repeated(map_references(node, ids)) if ids else node


def _drop_repeated(node: Type) -> Type:
    rebuilt = rebuild_type(node, _drop_repeated)
    if not isinstance(rebuilt, Union):
        return rebuilt
    members = tuple(dict.fromkeys(rebuilt.members))
    if len(members) == len(rebuilt.members):
        return rebuilt
    return members[0] if len(members) == 1 else replace(rebuilt, members=members)
