"""Name the modules of shared classes: one for each class, and one for classes that refer to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from mcpgen.ir.graph import find_strong_components
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.names.identifiers import make_module_name


def name_shared_modules(nodes: Iterable[Node], names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each shared class and alias, by id.

    Args:
        nodes: the shared classes and aliases.
        names: their Python names, by id.

    No module imports another one that imports it, directly or through others: such modules become one, which has the
    first of their names. Names that differ only in letter case or underscores lead to one module, too.
    """
    shared = {node.id: node for node in nodes}
    references = {
        key: [target for target in collect_refs(*list_node_types(node)) if target in shared]
        for key, node in shared.items()
    }
    modules = {key: make_module_name(names[key], None) for key in shared}
    while True:
        edges: dict[str, list[str]] = {module: [] for module in modules.values()}
        for key, targets in references.items():
            edges[modules[key]] += (modules[target] for target in targets)
        groups: dict[int, list[str]] = defaultdict(list)
        for module, component in find_strong_components(edges).items():
            groups[component].append(module)
        if len(groups) == len(edges):
            return modules
        joined = {module: min(group) for group in groups.values() for module in group}
        modules = {key: joined[module] for key, module in modules.items()}
