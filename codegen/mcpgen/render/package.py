"""List the files of a named package, each with the job that renders it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mcpgen.ir.package import Package, ResourceModule, get_root_class
from mcpgen.ir.types import Node
from mcpgen.names.allocator import PackageNames, ResourceNames
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.render import header, server_client
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.exports import make_init_job
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, ImportScope, Job
from mcpgen.render.resource import make_resource_view
from mcpgen.render.scope import Scope
from mcpgen.render.tool import make_tool_job
from mcpgen.render.typed_dicts import TypedDictAliasView, TypedDictView, make_typed_dict_views
from mcpgen.targets import Sdk, get_sdk

STATIC_MODULES = (
    "answer applicators base blocks contents copies deep errors exact explain handled json_schema jsonable lazy "
    "lenient panics plain readers references resource_runtime root_arguments runtime uris violations"
).split()
"""Modules that are the same in every package."""
TEMPLATE_MODULE = "text"
"""The filters that content templates use."""
SDK_MODULES = "binding calling contract".split()
"""Modules that are the same in every package for an SDK."""
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

    module: ModuleBody
    twins: list[TypedDictView | TypedDictAliasView]


def make_package_jobs(
    package: Package, names: PackageNames, protocol: JobMaker, contracts: Mapping[str, str]
) -> dict[str, JobMaker]:
    """Return a function for each Python file of a package, by path, that makes the job to render it.

    Args:
        package: the package.
        names: its Python names.
        protocol: makes the job of `protocol.py`.
        contracts: the hash of each tool's contract, by wire name.
    """
    shared = {node.id: node for node in package.shared}
    modules = [*STATIC_MODULES]
    if any(tool.template is not None for tool in package.tools):
        modules.append(TEMPLATE_MODULE)
    templates = {module: f"runtime/{module}.py" for module in modules}
    templates |= {module: EXTRA_TEMPLATES[module] for module in package.extras}
    jobs = {f"{module}.py": _copy_template(module, template) for module, template in templates.items()}
    jobs["protocol.py"] = protocol
    jobs["limits.py"] = partial(Job, "limits.py", "runtime/limits.py.j2", "", package.limits)
    for tool in package.tools:
        jobs[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared)
    for resource in package.resources:
        resource_names = names.resources[resource.wire]
        jobs[resource_names.path] = partial(_make_resource_job, resource, resource_names, shared, names.shared)
    if shared:
        scope = Scope(names.shared, shared, names.shared_twins)
        jobs["types.py"] = partial(_make_types_job, package.shared, scope)
    for folder, modules_inside in (("tools", package.tools), ("resources", package.resources)):
        if modules_inside:
            path = f"{folder}/__init__.py"
            jobs[path] = partial(Job, path, "package/folder.py.j2", "", FolderView(folder))
    sdk = get_sdk(package.sdk)
    if sdk is not None:
        jobs |= _make_sdk_jobs(sdk, package, names, contracts)
    return jobs | {"__init__.py": partial(make_init_job, package, names)}


def _copy_template(module: str, template: str) -> JobMaker:
    return partial(Job, f"{module}.py", template, "")


def _make_sdk_jobs(
    sdk: Sdk, package: Package, names: PackageNames, contracts: Mapping[str, str]
) -> dict[str, JobMaker]:
    """Return the jobs of the modules that bind handlers to the SDK's server and call tools over its sessions."""
    templates = {module: f"runtime/{module}.py" for module in SDK_MODULES} | {
        "requests": sdk.generation.requests_template,
        "session": sdk.generation.session_template,
        "glue": sdk.server_adapter,
    }
    if any(tool.content == "sdk" and tool.output is not None for tool in package.tools):
        templates["sdk_text"] = sdk.text_template
    jobs = {f"{module}.py": _copy_template(module, template) for module, template in templates.items()}
    jobs["server.py"] = lambda: _make_top_job("server.py", server_client.make_server_view(package, names))
    jobs["client.py"] = lambda: _make_top_job("client.py", server_client.make_client_view(package, names, contracts))
    return jobs


def _make_top_job(path: str, view: object) -> Job:
    """Make the job of a module at the top of the package that depends on several definitions."""
    return Job(path, f"package/{path}.j2", DEFINITIONS_ORIGIN, view, ImportScope("."))


def _make_types_job(nodes: tuple[Node, ...], scope: Scope) -> Job:
    return _make_top_job("types.py", TypesView(make_module_body(nodes, scope, {}), make_typed_dict_views(nodes, scope)))


def _make_resource_job(
    resource: ResourceModule, names: ResourceNames, shared: Mapping[str, Node], shared_names: Mapping[str, str]
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    root_class = None if resource.payload is None else get_root_class(resource.payload)
    reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
    nodes_by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**shared_names, **names.nested}, nodes_by_id, reserved=reserved)
    imports = ImportScope("..", tuple(sorted(shared_names[key] for key in shared)))
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
