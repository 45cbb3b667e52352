"""Decide which classes of a tool have modules of their own, because one module for all of them would be too long."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mcpgen.ir.graph import find_reachable, reverse_edges
from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import Choice, Node, ObjectClass
from mcpgen.ir.visitors import collect_refs, list_node_types, walk_type
from mcpgen.names.shared_modules import name_shared_modules

MAX_ESTIMATED_LINES = 1_200
"""Most estimated lines of a module for all classes of a tool.

Long modules of 1,154 real tools have at most a quarter more lines than estimated, so that none has
more than 1,500.
"""
_LINES_OF_MODULE, _LINES_OF_CLASS, _LINES_OF_PROPERTY, _LINES_OF_CONSTANT = 60, 15, 7, 1
_DESCRIPTION_WIDTH = 80


def name_tool_types(roots: Sequence[SchemaRoot], names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each class and alias of a tool that has not its place in the module of the tool, by id.

    Whether a tool has such modules depends on nothing but the tool. In the module of the tool stay the classes of its
    result and its arguments, and those that refer to them.

    Args:
        roots: the roots of the tool's schemas.
        names: the Python names of its classes and aliases, by id.
    """
    nodes = [node for root in roots for node in root.nodes]
    if estimate_lines(nodes) <= MAX_ESTIMATED_LINES:
        return {}
    root_classes = [root_class.id for root in roots if (root_class := get_root_class(root)) is not None]
    kept_ids = _find_kept(nodes, root_classes)
    return name_shared_modules([node for node in nodes if node.id not in kept_ids], names)


def _find_kept(nodes: Sequence[Node], root_classes: Collection[str]) -> set[str]:
    ids = {node.id for node in nodes}
    edges = {node.id: [target for target in collect_refs(*list_node_types(node)) if target in ids] for node in nodes}
    return find_reachable(reverse_edges(edges), root_classes)


def estimate_lines(nodes: Sequence[Node]) -> int:
    """Estimate the lines of a module with some classes and aliases."""
    lines = _LINES_OF_MODULE
    for node in nodes:
        constants = sum(
            len(part.values) for type in list_node_types(node) for part in walk_type(type) if isinstance(part, Choice)
        )
        lines += constants * _LINES_OF_CONSTANT + len(node.description) // _DESCRIPTION_WIDTH
        if isinstance(node, ObjectClass):
            described = sum(len(field.description) // _DESCRIPTION_WIDTH for field in node.fields)
            lines += _LINES_OF_CLASS + len(node.fields) * _LINES_OF_PROPERTY + described
    return lines
