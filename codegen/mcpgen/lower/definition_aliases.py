"""Find where types use definitions that are not objects, so that these become aliases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.ir.graph import find_reachable, find_strong_components
from mcpgen.ir.types import Alias, Array, Choice, FixedArray, Map, Node, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.ir.visitors import collect_refs, list_node_types, map_references, rebuild_node
from mcpgen.lower.core_matching import matches_core
from mcpgen.lower.normalize.core import Core
from mcpgen.schema.values import as_array, as_object

_NULL = Scalar(ScalarKind.NULL)


def deserves_name(node: Type) -> bool:
    """Report whether a definition of this type becomes an alias: any but plain scalars, with or without null."""
    match node:
        case Choice(values=values):
            return any(value is not None and not isinstance(value, bool) for value in values)
        case Scalar(bounds=bounds):
            return bool(bounds)
        case Union(members=members):
            others = [member for member in members if member != _NULL]
            return len(others) > 1 or any(map(deserves_name, others))
        case Array() | FixedArray() | Map():
            return True
        case Ref():
            return False


class AliasMarker:
    """Marks the types that come from definitions, by the identity of their core schemas.

    Args:
        definitions: the core schema and the type of each definition that becomes an alias, by id of the alias.
    """

    def __init__(self, definitions: Mapping[str, tuple[Core, Type]]) -> None:
        self._types = {alias: node for alias, (_, node) in definitions.items()}
        self._aliases = {id(core): alias for alias, (core, _) in definitions.items()}
        self._holding: dict[int, tuple[Core, bool]] = {}
        """Whether parts of a core schema have an alias, by identity. The schema is kept so that its `id` stays
        unique."""

    def mark(self, core: Core, node: Type) -> Type:
        """Return the type of a core schema in which each type of a definition refers to the alias that names it."""
        marked = self.mark_parts(core, node)
        alias = self._aliases.get(id(core))
        return marked if alias is None or isinstance(marked, Ref) else replace(marked, alias=alias)

    def mark_parts(self, core: Core, node: Type) -> Type:
        """Mark the parts of a type like `mark`, but not the type itself."""
        if not self._holds_alias(core):
            return node
        match node:
            case Array(item=item):
                return replace(node, item=self.mark(as_object(core.get("items")), item))
            case FixedArray(items=items):
                cores = map(as_object, as_array(core.get("prefixItems")))
                return replace(node, items=tuple(map(self.mark, cores, items)))
            case Map(value=value):
                return replace(node, value=self.mark(as_object(core.get("additionalProperties")), value))
            case Union():
                return self._mark_union([as_object(branch) for branch in as_array(core.get("anyOf"))], node)
            case Scalar() | Choice() | Ref():
                return node

    def _mark_union(self, branches: list[Core], union: Union) -> Type:
        """Mark the members of a union; a union of a definition's union and null has its name, too."""
        others = [branch for branch in branches if branch != {"type": "null"}]
        if len(others) == 1 and (alias := self._aliases.get(id(others[0]))) and isinstance(self._types[alias], Union):
            return replace(union, alias=alias)
        members = union.members
        for branch in branches:
            if id(branch) in self._aliases or self._holds_alias(branch):
                members = tuple(
                    self.mark(branch, member) if matches_core(branch, member) else member for member in members
                )
        return replace(union, members=members)

    def _holds_alias(self, core: Core) -> bool:
        key = id(core)
        if key not in self._holding:
            parts = [core.get("items"), core.get("additionalProperties")]
            parts += [*as_array(core.get("prefixItems")), *as_array(core.get("anyOf"))]
            children = [part for part in parts if isinstance(part, dict)]
            holds_alias = any(id(child) in self._aliases or self._holds_alias(child) for child in children)
            self._holding[key] = (core, holds_alias)
        return self._holding[key][1]


def drop_needless_aliases(root: Type, nodes: Iterable[Node]) -> tuple[Type, list[Node]]:
    """Return a root's type and nodes without the aliases that nothing uses, and without those in a circle.

    An alias is written before what uses it and after what it refers to, so it cannot be in a circle.
    """
    nodes_by_id = {node.id: node for node in nodes}
    edges = {node_id: collect_refs(*list_node_types(node)) for node_id, node in nodes_by_id.items()}
    components = find_strong_components(edges)
    sizes: dict[int, int] = {}
    for component in components.values():
        sizes[component] = sizes.get(component, 0) + 1
    starts = [*collect_refs(root), *(key for key, node in nodes_by_id.items() if not _is_name(node))]
    reached = find_reachable(edges, starts)
    dropped: dict[str, str | None] = {
        node_id: None
        for node_id, node in nodes_by_id.items()
        if _is_name(node) and (sizes[components[node_id]] > 1 or node_id not in reached)
    }
    if not dropped:
        return root, [*nodes_by_id.values()]
    needed = [node for node_id, node in nodes_by_id.items() if node_id not in dropped]
    remaining = [rebuild_node(node, lambda inner: map_references(inner, dropped)) for node in needed]
    return drop_needless_aliases(map_references(root, dropped), remaining)


def _is_name(node: Node) -> bool:
    return isinstance(node, Alias) and not node.recursive
