"""List the files of a named package, each with the job that renders it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mcpgen.ir.package import Package, ResourceModule, collect_module_references, get_root_class
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import list_reached
from mcpgen.names.package_names import PackageNames, ResourceNames
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.render import header
from mcpgen.render.exports import (
    INDEX_PATH,
    INIT_PATH,
    RESOURCE_INDEX_PATH,
    make_index_job,
    make_init_job,
    make_resource_index_job,
)
from mcpgen.render.facade import get_facade, get_library
from mcpgen.render.jobs import ImportScope, Job, JobMaker, make_folder_job
from mcpgen.render.prompt import PROMPT_INDEX_PATH, make_prompt_index_job, make_prompt_job
from mcpgen.render.resource import make_resource_view
from mcpgen.render.scope import Scope
from mcpgen.render.testing import TESTING_PATH, make_testing_job
from mcpgen.render.tool import make_tool_job
from mcpgen.render.types import list_types_folders, make_shared_types_jobs, make_tool_types_jobs
from mcpgen.targets import get_sdk


@dataclass(frozen=True)
class FrameView:
    """Variables of modules that are the same in every package, but for the place of the run-time modules."""

    facade: str
    """The facade of the run-time library."""
    library: str
    """The library itself."""
    has_resources: bool
    """The package has resources, which clients read."""
    has_prompts: bool
    """The package has prompts, which clients get."""


def make_package_jobs(package: Package, names: PackageNames) -> dict[str, JobMaker]:
    """Return a function for each Python file of a package, by path, that makes the job to render it."""
    shared = {node.id: node for node in package.shared}
    sdk = get_sdk(package.sdk)
    frames = {"azure.py": "integrations/azure.py.j2"} if package.azure else {}
    if sdk is not None:
        paths = ["server.py"] + ["client.py"] * package.has_client
        paths += ["resource_server.py"] * bool(package.resources) + ["prompt_server.py"] * bool(package.prompts)
        frames |= {path: f"package/{path}.j2" for path in paths}
    jobs: dict[str, JobMaker] = {
        path: partial(_make_frame_job, path, template, package) for path, template in frames.items()
    }
    jobs |= make_tool_jobs(package, names)
    facade = get_facade(package, 1)
    for resource in package.resources:
        resource_names = names.resources[resource.id]
        jobs[resource_names.path] = partial(
            _make_resource_job,
            resource,
            resource_names,
            shared,
            names,
            facade,
            sdk is not None,
            package.testing,
        )
    jobs |= make_shared_types_jobs(package, names)
    for prompt in package.prompts:
        prompt_names = names.prompts[prompt.wire]
        jobs[prompt_names.path] = partial(
            make_prompt_job, prompt, prompt_names, facade, sdk is not None, package.testing
        )
    modules_by_folder = (("prompts", package.prompts), ("resources", package.resources), ("tools", package.tools))
    folders = [
        (name, f"One module for each of the package's {name}.") for name, modules in modules_by_folder if modules
    ]
    for folder, doc in (*folders, *list_types_folders(package, names)):
        jobs[f"{folder}/__init__.py"] = partial(make_folder_job, folder, doc)
    if sdk is not None:
        if package.resources:
            jobs[RESOURCE_INDEX_PATH] = partial(make_resource_index_job, names)
        if package.prompts:
            jobs[PROMPT_INDEX_PATH] = partial(make_prompt_index_job, package, names)
    return jobs | make_tool_list_jobs(package, names)


def make_tool_list_jobs(package: Package, names: PackageNames) -> dict[str, JobMaker]:
    """Return a function for each module that names all tools, by path, that makes the job to render it.

    Of the package, only its settings count; of each tool, the names of its module and of its root classes.
    """
    jobs: dict[str, JobMaker] = {}
    if get_sdk(package.sdk) is not None:
        jobs[INDEX_PATH] = partial(make_index_job, names)
        if package.testing:
            jobs[TESTING_PATH] = partial(make_testing_job, package, names)
    return jobs | {INIT_PATH: partial(make_init_job, package, names)}


def make_tool_jobs(package: Package, names: PackageNames) -> dict[str, JobMaker]:
    """Return a function for each module of a tool, by path, that makes the job to render it."""
    shared = {node.id: node for node in package.shared}
    facade, serves = get_facade(package, 1), get_sdk(package.sdk) is not None
    jobs: dict[str, JobMaker] = {}
    for tool in package.tools:
        jobs[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared, facade, serves, package.testing)
        jobs |= make_tool_types_jobs(package, tool, names, shared)
    return jobs


def _make_frame_job(path: str, template: str, package: Package) -> Job:
    view = FrameView(get_facade(package), get_library(package), bool(package.resources), bool(package.prompts))
    return Job(path, template, "", view)


def _make_resource_job(
    resource: ResourceModule,
    names: ResourceNames,
    shared: Mapping[str, Node],
    package: PackageNames,
    facade: str,
    serves: bool,
    testing: bool,
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    root_class = None if resource.payload is None else get_root_class(resource.payload)
    reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
    nodes_by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**package.shared, **names.nested}, nodes_by_id, reserved=reserved)
    reached = list_reached(collect_module_references(resource), shared)
    imports = ImportScope(facade, exported=package.list_shared_imports("..types", reached, ()))
    return Job(
        names.path,
        "package/resource.py.j2",
        resource.origin,
        make_resource_view(resource, names, scope, facade if serves else None, testing),
        imports,
    )


def render_other_files() -> dict[str, str]:
    """Return the text of the files that are neither Python nor JSON, by path."""
    attributes = "* linguist-generated=true\n"
    return {
        "py.typed": header.add_plain_header("", ""),
        ".gitattributes": header.add_plain_header(attributes, ""),
    }
