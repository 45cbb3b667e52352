"""List the files of a named package, each with the job that renders it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from mcpgen.render.protocol import PROTOCOL_PATH
from mcpgen.render.resource import make_resource_view
from mcpgen.render.scope import Scope
from mcpgen.render.tool import make_tool_job
from mcpgen.render.typed_dicts import TypedDictAliasView, TypedDictView, make_typed_dict_views
from mcpgen.targets import NO_SDK_TOOL_TEMPLATE, Sdk, get_sdk

RUNTIME_MODULES = (
    "call_tool_results checked_copies checked_result content_blocks content_result deep_values dict_readers errors "
    "handler_values json_conversion json_errors json_objects json_resource json_schema json_types definition_files "
    "lenient_parsing plain_values package protocol_versions resource_contents resource_result root_arguments "
    "result_writer schema_applicators schema_explanation schema_references schema_validation tool_definitions "
    "tool_result uri_templates validator_panics violations wire_results"
).split()
"""Modules of `runtime/` that are the same in every package."""
TOOL_PATH = "runtime/tool.py"
TEMPLATE_MODULE = "template_filters"
"""The filters that content templates use."""
SDK_MODULES = "client_base server_binding tool tool_contract".split()
"""Modules of `runtime/` that are the same in every package for an SDK."""
EXTRA_TEMPLATES = {"azure": "integrations/azure.py"}
"""Modules that the settings ask for, and their templates."""

JobMaker = Callable[[], Job]


@dataclass(frozen=True)
class FolderView:
    """Variable of `package/folder.py.j2`."""

    folder: str


@dataclass(frozen=True)
class TypesView:
    """Variables of `package/types.py.j2`."""

    doc: Literal
    module: ModuleBody
    typed_dicts: list[TypedDictView | TypedDictAliasView]
    exports: list[str]


@dataclass(frozen=True)
class FrameView:
    """Variables of modules that are the same in every package, but for the place of the run-time modules."""

    runtime: str
    """The package of the run-time modules."""


def make_package_jobs(package: Package, names: PackageNames, protocol: JobMaker) -> dict[str, JobMaker]:
    """Return a function for each Python file of a package, by path, that makes the job to render it.

    Args:
        package: the package.
        names: its Python names.
        protocol: makes the job of `runtime/protocol.py`.
    """
    shared = {node.id: node for node in package.shared}
    jobs = {f"{module}.py": _copy_template(f"{module}.py", EXTRA_TEMPLATES[module]) for module in package.extras}
    jobs |= _make_runtime_jobs(package, protocol)
    sdk = get_sdk(package.sdk)
    for tool in package.tools:
        jobs[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared, sdk is not None)
    for resource in package.resources:
        resource_names = names.resources[resource.wire]
        jobs[resource_names.path] = partial(_make_resource_job, resource, resource_names, shared, names)
    for module, nodes in _group_shared_nodes(package, names).items():
        path = f"types/{module}.py"
        jobs[path] = partial(_make_types_job, path, nodes, shared, names)
    folders = (
        ("resources", package.resources),
        ("runtime", jobs),
        ("tools", package.tools),
        ("types", package.shared),
    )
    for folder, modules_inside in folders:
        if modules_inside:
            path = f"{folder}/__init__.py"
            jobs[path] = partial(Job, path, "package/folder.py.j2", "", FolderView(folder))
    if sdk is not None:
        jobs |= _make_sdk_jobs(sdk, package)
        jobs[INDEX_PATH] = partial(make_index_job, names)
    else:
        jobs[TOOL_PATH] = _copy_template(TOOL_PATH, NO_SDK_TOOL_TEMPLATE)
    return jobs | {INIT_PATH: partial(make_init_job, package, names)}


def _group_shared_nodes(package: Package, names: PackageNames) -> dict[str, list[Node]]:
    """Return the shared classes and aliases of each module of `types/`."""
    groups: dict[str, list[Node]] = {}
    for node in sorted(package.shared, key=lambda node: names.shared[node.id]):
        groups.setdefault(names.shared_modules[node.id], []).append(node)
    return groups


def _make_runtime_jobs(package: Package, protocol: JobMaker) -> dict[str, JobMaker]:
    """Return the jobs of the modules in `runtime/` that do not depend on an SDK, except for the protocol's types."""
    modules = [*RUNTIME_MODULES]
    if any(tool.template is not None for tool in package.tools):
        modules.append(TEMPLATE_MODULE)
    limits_path = "runtime/limits.py"
    return {path: _copy_template(path, path) for path in (f"runtime/{module}.py" for module in modules)} | {
        PROTOCOL_PATH: protocol,
        limits_path: partial(Job, limits_path, "runtime/limits.py.j2", "", package.limits),
    }


def _copy_template(path: str, template: str) -> JobMaker:
    return partial(Job, path, template, "")


def _make_sdk_jobs(sdk: Sdk, package: Package) -> dict[str, JobMaker]:
    """Return the jobs of the modules that bind handlers to the SDK's server and call tools over its sessions."""
    templates = {module: f"runtime/{module}.py" for module in SDK_MODULES} | {
        "version_adapter": sdk.generation.requests_template,
        "session": sdk.generation.session_template,
        "server_adapter": sdk.server_adapter,
    }
    if any(tool.content == "sdk" and tool.output is not None for tool in package.tools):
        templates["sdk_text"] = sdk.text_template
    paths = {f"runtime/{module}.py": template for module, template in templates.items()}
    jobs = {path: _copy_template(path, template) for path, template in paths.items()}
    for path in ("server.py", "client.py"):
        jobs[path] = partial(Job, path, f"package/{path}.j2", "", FrameView(".runtime"))
    return jobs


def _make_types_job(path: str, nodes: list[Node], shared: Mapping[str, Node], names: PackageNames) -> Job:
    scope = Scope(names.shared, shared, names.shared_typed_dicts)
    own = [names.shared[node.id] for node in nodes]
    typed_dicts = [names.shared_typed_dicts[node.id] for node in nodes if isinstance(node, ObjectClass)]
    view = TypesView(
        doc=make_docstring(f"Shared types: {', '.join(f'`{name}`' for name in own)}.", 0),
        module=make_module_body(nodes, scope, {}),
        typed_dicts=make_typed_dict_views(nodes, scope),
        exports=sorted([*own, *typed_dicts]),
    )
    imports = ImportScope("..runtime", names.list_shared_imports(""))
    return Job(path, "package/types.py.j2", DEFINITIONS_ORIGIN, view, imports)


def _make_resource_job(
    resource: ResourceModule, names: ResourceNames, shared: Mapping[str, Node], package: PackageNames
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    root_class = None if resource.payload is None else get_root_class(resource.payload)
    reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
    nodes_by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**package.shared, **names.nested}, nodes_by_id, reserved=reserved)
    imports = ImportScope("..runtime", package.list_shared_imports("..types"))
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
