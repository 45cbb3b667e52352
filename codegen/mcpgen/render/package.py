"""List the files of a named package, each with the job that renders it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mcpgen.ir.package import Package, ResourceModule, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.literals import Literal, make_docstring
from mcpgen.names.allocator import PackageNames, ResourceNames
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.render import header
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.exports import INDEX_PATH, INIT_PATH, make_index_job, make_init_job
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, ImportScope, Job
from mcpgen.render.resource import make_resource_view
from mcpgen.render.runtime_package import (
    JobMaker,
    get_nested_runtime,
    get_runtime,
    make_folder_job,
    make_own_runtime_jobs,
)
from mcpgen.render.scope import Scope
from mcpgen.render.tool import make_tool_job
from mcpgen.render.typed_dicts import TypedDictAliasView, TypedDictView, make_typed_dict_views
from mcpgen.targets import get_sdk

EXTRA_TEMPLATES = {"azure": "integrations/azure.py.j2"}
"""Modules that the settings ask for, and their templates."""


@dataclass(frozen=True)
class TypesView:
    """Variables of `package/types.py.j2`."""

    doc: Literal
    module: ModuleBody
    twins: list[TypedDictView | TypedDictAliasView]
    exports: list[str]


@dataclass(frozen=True)
class FrameView:
    """Variables of modules that are the same in every package, but for the place of the run-time modules."""

    runtime: str
    """The package of the run-time modules."""
    is_shared: bool
    """Several packages share the run-time modules, so that they are imported before those of the package."""


def make_package_jobs(package: Package, names: PackageNames, protocol: JobMaker) -> dict[str, JobMaker]:
    """Return a function for each Python file of a package, by path, that makes the job to render it.

    Args:
        package: the package.
        names: its Python names.
        protocol: makes the job of `runtime/protocol.py`, where the package has it.
    """
    shared = {node.id: node for node in package.shared}
    sdk = get_sdk(package.sdk)
    runtime = get_runtime(package)
    nested_runtime = get_nested_runtime(package)
    frames = {f"{module}.py": EXTRA_TEMPLATES[module] for module in package.extras}
    if sdk is not None:
        frames |= {path: f"package/{path}.j2" for path in ("server.py", "client.py")}
    jobs: dict[str, JobMaker] = {
        path: partial(_make_frame_job, path, template, runtime) for path, template in frames.items()
    }
    if package.runtime is None:
        jobs |= make_own_runtime_jobs(package, protocol)
    for tool in package.tools:
        jobs[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared, nested_runtime, sdk is not None)
    for resource in package.resources:
        resource_names = names.resources[resource.wire]
        jobs[resource_names.path] = partial(_make_resource_job, resource, resource_names, shared, names, nested_runtime)
    for module, nodes in _group_shared_nodes(package, names).items():
        path = f"types/{module}.py"
        jobs[path] = partial(_make_types_job, path, nodes, shared, names, nested_runtime)
    folders = (("resources", package.resources), ("tools", package.tools), ("types", package.shared))
    for folder, modules_inside in folders:
        if modules_inside:
            path = f"{folder}/__init__.py"
            jobs[path] = partial(make_folder_job, path, folder)
    if sdk is not None:
        jobs[INDEX_PATH] = partial(make_index_job, names)
    return jobs | {INIT_PATH: partial(make_init_job, package, names)}


def _group_shared_nodes(package: Package, names: PackageNames) -> dict[str, list[Node]]:
    """Return the shared classes and aliases of each module of `types/`."""
    groups: dict[str, list[Node]] = {}
    for node in sorted(package.shared, key=lambda node: names.shared[node.id]):
        groups.setdefault(names.shared_modules[node.id], []).append(node)
    return groups


def _make_frame_job(path: str, template: str, runtime: str) -> Job:
    return Job(path, template, "", FrameView(runtime, not runtime.startswith(".")))


def _make_types_job(path: str, nodes: list[Node], shared: Mapping[str, Node], names: PackageNames, runtime: str) -> Job:
    scope = Scope(names.shared, shared, names.shared_twins)
    own = [names.shared[node.id] for node in nodes]
    twins = [names.shared_twins[node.id] for node in nodes if isinstance(node, ObjectClass)]
    view = TypesView(
        doc=make_docstring(f"Shared types: {', '.join(f'`{name}`' for name in own)}.", 0),
        module=make_module_body(nodes, scope, {}),
        twins=make_typed_dict_views(nodes, scope),
        exports=sorted([*own, *twins]),
    )
    imports = ImportScope(runtime, names.list_shared_imports(""))
    return Job(path, "package/types.py.j2", DEFINITIONS_ORIGIN, view, imports)


def _make_resource_job(
    resource: ResourceModule,
    names: ResourceNames,
    shared: Mapping[str, Node],
    package: PackageNames,
    runtime: str,
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    root_class = None if resource.payload is None else get_root_class(resource.payload)
    reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
    nodes_by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**package.shared, **names.nested}, nodes_by_id, reserved=reserved)
    imports = ImportScope(runtime, package.list_shared_imports("..types"))
    return Job(
        names.path, "package/resource.py.j2", resource.origin, make_resource_view(resource, names, scope), imports
    )


def render_other_files() -> dict[str, str]:
    """Return the text of the files that are neither Python nor JSON, by path."""
    attributes = "* linguist-generated=true\n"
    return {
        "py.typed": header.add_plain_header("", ""),
        ".gitattributes": header.add_plain_header(attributes, ""),
    }
