"""Unions that contain themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import assert_never

from mcpgen.ir.graph import find_strong_components
from mcpgen.ir.types import Alias, Array, Choice, FixedArray, Map, Node, Ref, Scalar, Type, Union
from mcpgen.ir.visitors import collect_refs, list_node_types, walk_type


class RecursiveUnions:
    """Unions of some classes and aliases, which are given by their ids."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes

    def branches_back(self, union: Union) -> bool:
        """Return whether a value fits several members that lead back to the union, each by way of the value's parts."""
        circles = {self._circles[key] for key in self._owners.get(union, ())}
        recursive = [
            member for member in union.members if any(self._circles.get(key) in circles for key in collect_refs(member))
        ]
        kinds = [kind for member in recursive for kind in self._list_container_kinds(member, frozenset())]
        return len(kinds) > len(set(kinds))

    @cached_property
    def _owners(self) -> dict[Union, list[str]]:
        """The ids of the classes and aliases that hold each union."""
        owners: dict[Union, list[str]] = {}
        for key, node in self._nodes.items():
            for node_type in list_node_types(node):
                for union in (part for part in walk_type(node_type) if isinstance(part, Union)):
                    owners.setdefault(union, []).append(key)
        return owners

    @cached_property
    def _circles(self) -> dict[str, int]:
        """A number for each class and alias, the same for those that lead to each other."""
        edges = {
            key: [ref for ref in collect_refs(*list_node_types(node)) if ref in self._nodes]
            for key, node in self._nodes.items()
        }
        return find_strong_components(edges)

    def _list_container_kinds(self, node: Type, entered: frozenset[str]) -> list[str]:
        """Return `array` or `object` for each member of a type that is one."""
        match node:
            case Array() | FixedArray():
                return ["array"]
            case Map():
                return ["object"]
            case Union(members=members):
                return [kind for member in members for kind in self._list_container_kinds(member, entered)]
            case Ref(id=key):
                target = self._nodes.get(key)
                if not isinstance(target, Alias):
                    return ["object"]
                return [] if key in entered else self._list_container_kinds(target.type, entered | {key})
            case Scalar() | Choice():
                return []
            case _:
                assert_never(node)
