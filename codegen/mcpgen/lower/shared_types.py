"""Definitions that several schemas have in common become one set of classes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from mcpgen.ir.package import ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import Node, Ref, Type
from mcpgen.ir.visitors import rebuild_node, rebuild_type

SHARED_MODULE = "types"


def share_types(
    tools: list[ToolModule], resources: list[ResourceModule]
) -> tuple[list[ToolModule], list[ResourceModule], list[Node]]:
    """The tools and resources with shared classes taken out, and those classes, their ids starting with `types`.

    A definition is shared when two schemas have it with the same name and content, and no other two schemas have
    another one of that name. What it reaches goes with it.
    """
    roots = [root for tool in tools for root in (tool.output, tool.input) if root is not None]
    roots += [one.payload for one in resources if one.payload is not None]
    chosen = _choose_shared(roots)
    if not chosen:
        return tools, resources, []
    shared: dict[str, Node] = {}

    def taken(root: SchemaRoot | None) -> SchemaRoot | None:
        return None if root is None else _take_shared(root, chosen, shared)

    with_output: list[ToolModule] = []
    for tool in tools:
        output, given = taken(tool.output), _take_shared(tool.input, chosen, shared)
        is_same = output is tool.output and given is tool.input
        with_output.append(tool if is_same else replace(tool, output=output, input=given))
    with_payload = [replace(one, payload=taken(one.payload)) for one in resources]
    return with_output, with_payload, [shared[key] for key in sorted(shared)]


def _choose_shared(roots: list[SchemaRoot]) -> set[tuple[str, str]]:
    """(pointer, digest) of what is shared."""
    uses: dict[tuple[str, str], int] = defaultdict(int)
    named: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for root in roots:
        digests = {one.pointer: one.digest for one in root.shareable}
        for one in root.shareable:
            key = (one.pointer, one.digest)
            uses[key] += 1
            named[key] = {(other, digests.get(other, "")) for other in one.references}
    contents: dict[str, set[str]] = defaultdict(set)
    for (at, digest), count in uses.items():
        if count > 1:
            contents[at.rpartition("/")[2]].add(digest)
    chosen = {key for key, count in uses.items() if count > 1 and len(contents[key[0].rpartition("/")[2]]) == 1}
    users: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for key, others in named.items():
        for other in others:
            users[other].append(key)
    todo = [key for key in users if key not in chosen]
    while todo:  # what refers to a definition that is not shared is not shared
        dropped = [key for key in users[todo.pop()] if key in chosen]
        chosen.difference_update(dropped)
        todo.extend(dropped)
    return chosen


def _take_shared(root: SchemaRoot, chosen: set[tuple[str, str]], shared: dict[str, Node]) -> SchemaRoot:
    inside = {one.pointer for one in root.shareable if (one.pointer, one.digest) in chosen}
    if not inside:
        return root
    renamed: dict[str, str] = {}
    for node in root.nodes:
        kind, places = _split_id(node.id)
        if all(_get_definition_pointer(place) in inside for place in places.split("&")):
            renamed[node.id] = f"{SHARED_MODULE}{kind}{places}"
    own: list[Node] = []
    for node in root.nodes:
        moved = _rename_node(node, renamed)
        if node.id in renamed:
            shared.setdefault(moved.id, moved)
        else:
            own.append(moved)
    return replace(root, type=_rename_types(root.type, renamed), nodes=tuple(own))


def _split_id(node_id: str) -> tuple[str, str]:
    """The kind and the places of an id (see `lower.schema`)."""
    for index, char in enumerate(node_id):
        if char in ":~":
            return char, node_id[index + 1 :]
    raise ValueError(node_id)


def _get_definition_pointer(place: str) -> str:
    """The pointer of the definition that a place lies in."""
    at = "/".join(place.partition("!")[0].split("/")[:3])
    return at.replace("%21", "!").replace("%26", "&").replace("%25", "%")


def _rename_node(node: Node, names: dict[str, str]) -> Node:
    return replace(rebuild_node(node, lambda one: _rename_types(one, names)), id=names.get(node.id, node.id))


def _rename_types(node: Type, names: dict[str, str]) -> Type:
    if isinstance(node, Ref):
        return Ref(names.get(node.id, node.id))
    return rebuild_type(node, lambda child: _rename_types(child, names))
