"""IR and Python names of definitions whose files are not rendered, for `diff`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcpgen.cache.store import Store
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import Ref
from mcpgen.lower.shared_types import SHARED_MODULE, ModuleKey, share_types
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import PackageNames
from mcpgen.pipeline.cached_steps import CachedSteps, ignore_progress
from mcpgen.pipeline.lowering import make_package
from mcpgen.read.definitions import Definitions
from mcpgen.workers import Workers


@dataclass(frozen=True)
class Preview:
    """IR and names of a package."""

    package: Package
    names: PackageNames
    places: Mapping[ModuleKey, Mapping[str, tuple[str, str]]]
    """Place in the schemas of a module → module (empty: its own) and name of the class made from it."""
    roots: Mapping[ModuleKey, Sequence[SchemaRoot]]
    """Schemas of a module, with all of their classes, the shared ones included."""


def lower_and_name(
    definitions: Definitions, settings: PackageSettings, jobs_count: int, store: Store | None = None
) -> Preview:
    """Return the package that `build` would render, and its names. Its findings are dropped: `build` reports them.

    With a store, only schemas are lowered that no earlier run has lowered.
    """
    dropped = Findings()
    with Workers(jobs_count) as workers:
        steps = CachedSteps(store or Store(), workers, ignore_progress)
        tools = steps.lower_tools(definitions.tools, settings, dropped)
        resources = steps.lower_resources(definitions.resources, settings, dropped)
    package = make_package(tools, resources, settings)
    names, _ = allocate_names(package)
    roots: dict[ModuleKey, Sequence[SchemaRoot]] = {("tool", tool.wire): tool.roots for tool in tools}
    roots |= {
        ("resource", resource.id): [] if resource.payload is None else [resource.payload] for resource in resources
    }
    return Preview(package, names, _find_places(tools, resources, names), roots)


def _find_places(
    tools: Sequence[ToolModule], resources: Sequence[ResourceModule], names: PackageNames
) -> dict[ModuleKey, dict[str, tuple[str, str]]]:
    """Return the classes and aliases by the places in the schemas that they are made from, except for root classes."""
    ids = share_types(tools, resources).ids
    places: dict[ModuleKey, dict[str, tuple[str, str]]] = {}
    for tool in tools:
        key = ("tool", tool.wire)
        places[key] = _name_places(tool.roots, ids.get(key, {}), names.tools[tool.wire].nested, names.shared)
    for resource in resources:
        roots = [] if resource.payload is None else [resource.payload]
        key = ("resource", resource.id)
        places[key] = _name_places(roots, ids.get(key, {}), names.resources[resource.id].nested, names.shared)
    return places


def _name_places(
    roots: Sequence[SchemaRoot], ids: Mapping[str, str], nested: Mapping[str, str], shared: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    places: dict[str, tuple[str, str]] = {}
    for root in roots:
        for node in root.nodes:
            node_id = ids.get(node.id, node.id)
            if root.type != Ref(node.id):
                name = (SHARED_MODULE, shared[node_id]) if node_id in shared else ("", nested[node_id])
                places[f"#{node.id}"] = name
    return places
