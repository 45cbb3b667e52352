"""List the files of a named package, each with the job that renders it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Literal, NamedTuple

from mcpgen_runtime.package import EXPORTS, INTERFACE, SDK_EXPORTS

from mcpgen.ir.package import Package, ResourceModule, ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import list_reached
from mcpgen.literals import make_literal
from mcpgen.names.allocator import make_any_handler_name
from mcpgen.names.identifiers import make_method_name
from mcpgen.names.package_names import PackageNames, ResourceNames, ToolNames
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.plan import APP_TYPES_LABEL, PACKAGE_MARKER
from mcpgen.render import header
from mcpgen.render.form import make_form_index_job, make_form_job
from mcpgen.render.imports import make_sort_key
from mcpgen.render.jobs import ImportScope, Job, JobMaker, make_folder_job
from mcpgen.render.json_files import add_json_header
from mcpgen.render.library import get_facade, get_library
from mcpgen.render.prompt import make_prompt_job
from mcpgen.render.resource import make_resource_view
from mcpgen.render.scope import Scope
from mcpgen.render.tool import make_tool_job
from mcpgen.render.types import list_types_folders, make_shared_types_jobs, make_tool_types_jobs
from mcpgen.targets import get_default_protocol, get_sdk

INIT_PATH = "__init__.py"
INDEX_PATH = "index.py"
TESTING_PATH = "testing.py"


# --- all files -------------------------------------------------------------------------------------------------------
def make_package_jobs(package: Package, names: PackageNames) -> dict[str, JobMaker]:
    """Return a function for each Python file of a package, by path, that makes the job to render it."""
    shared = {node.id: node for node in package.shared}
    facade, serves = get_facade(package, 1), get_sdk(package.sdk) is not None
    jobs: dict[str, JobMaker] = {
        path: partial(_make_frame_job, path, template, package) for path, template in _list_frames(package)
    }
    for tool in package.tools:
        jobs[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared, facade, serves, package.testing)
        jobs |= make_tool_types_jobs(package, tool, names, shared)
    for resource in package.resources:
        own = names.resources[resource.id]
        jobs[own.path] = partial(_make_resource_job, resource, own, shared, names, facade, serves, package.testing)
    jobs |= make_shared_types_jobs(package, names)
    for prompt in package.prompts:
        prompt_names = names.prompts[prompt.wire]
        jobs[prompt_names.path] = partial(make_prompt_job, prompt, prompt_names, facade, serves, package.testing)
    for form in package.forms:
        jobs[names.forms[form.wire].path] = partial(make_form_job, form, names.forms[form.wire], facade, serves)
    if serves and package.forms:
        jobs["forms/__init__.py"] = partial(make_form_index_job, [*names.forms.values()], facade)
    modules_by_folder = (
        ("forms", () if serves else package.forms),
        ("prompts", package.prompts),
        ("resources", package.resources),
        ("tools", package.tools),
    )
    folders = [
        (name, f"One module for each of the package's {name}.") for name, modules in modules_by_folder if modules
    ]
    for folder, doc in (*folders, *list_types_folders(package, names)):
        jobs[f"{folder}/__init__.py"] = partial(make_folder_job, folder, doc)
    if serves and package.resources:
        jobs["resource_index.py"] = partial(make_index_job, names, "resource")
    if serves and package.prompts:
        jobs["prompt_index.py"] = partial(make_index_job, names, "prompt")
    if serves:
        jobs[INDEX_PATH] = partial(make_index_job, names, "tool")
    if serves and package.testing:
        jobs[TESTING_PATH] = partial(make_testing_job, package, names)
    return jobs | {INIT_PATH: partial(make_init_job, package, names)}


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
    view = make_resource_view(resource, names, scope, facade if serves else None, testing)
    return Job(names.path, "package/resource.py.j2", resource.origin, view, imports)


# --- modules that are the same in every package ----------------------------------------------------------------------
def _list_frames(package: Package) -> list[tuple[str, str]]:
    frames = [("azure.py", "integrations/azure.py.j2")] * package.azure
    if get_sdk(package.sdk) is not None:
        paths = ["server.py"] + ["client.py"] * package.has_client
        paths += ["resource_server.py"] * bool(package.resources) + ["prompt_server.py"] * bool(package.prompts)
        frames += [(path, f"package/{path}.j2") for path in paths]
    return frames


def _make_frame_job(path: str, template: str, package: Package) -> Job:
    kinds = {"has_resources": bool(package.resources), "has_prompts": bool(package.prompts)}
    view = SimpleNamespace(facade=get_facade(package), library=get_library(package), **kinds)
    return Job(path, template, "", view)


def render_other_files(app_types: str | None = None) -> dict[str, str]:
    """Return the text of the files that are neither Python nor JSON, by path; `app_types` is as in the settings."""
    attributes = "* linguist-generated=true\n"
    attributes += "" if app_types is None else f"# {APP_TYPES_LABEL}: {app_types}\n"
    return {"py.typed": header.add_plain_header("", ""), PACKAGE_MARKER: header.add_plain_header(attributes, "")}


# --- lists of definitions --------------------------------------------------------------------------------------------
Kind = Literal["tool", "resource", "prompt"]
KINDS: tuple[Kind, ...] = ("tool", "resource", "prompt")


class Entry(NamedTuple):
    """A tool, resource or prompt in a list of them."""

    module: str
    attribute: str
    """The attribute that clients and servers have for it."""
    handler: str
    """The type of its handlers in its module."""
    type: str
    """The same in `testing.py`, where a tool and a resource may have the same name."""


def _list_entries(names: PackageNames, kind: Kind) -> list[Entry]:
    match kind:
        case "tool":
            modules = [(tool.module, tool.stem) for tool in names.tools.values()]
        case "resource":
            modules = [(resource.module, resource.name) for resource in names.resources.values()]
        case "prompt":
            modules = [(prompt.module, prompt.name) for prompt in names.prompts.values()]
    suffix = "Handler" if kind == "prompt" else f"{kind.title()}Handler"  # classes of prompts end in `Prompt` anyway
    return [
        Entry(module, make_method_name(module), make_any_handler_name(stem), f"{stem}{suffix}")
        for module, stem in sorted(modules)
    ]


def make_index_job(names: PackageNames, kind: Kind) -> Job:
    """Make the job that renders the list of the definitions of a kind."""
    path = INDEX_PATH if kind == "tool" else f"{kind}_index.py"
    return Job(path, "package/index.py.j2", "", SimpleNamespace(kind=kind, entries=_list_entries(names, kind)))


def make_testing_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `testing.py`. Of the package, only its settings count."""
    entries = {f"{kind}s": _list_entries(names, kind) for kind in KINDS}
    view = SimpleNamespace(facade=get_facade(package), **entries)
    return Job(TESTING_PATH, "package/testing.py.j2", "", view)


def get_example_path(names: ToolNames) -> str:
    """Return the path of the example of a tool."""
    return f"examples/{names.module}.json"


def render_example(tool: ToolModule) -> str:
    """Return the JSON file with the example of a tool: what was found of its arguments and its result."""
    roots = {"arguments": tool.input, "result": tool.output}
    content = {part: json.loads(root.example) for part, root in roots.items() if root is not None and root.example}
    return add_json_header(content, tool.origin)


# --- what the package exports ----------------------------------------------------------------------------------------
def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`. Of the package, only its settings count."""
    modules = {f"tools.{tool.module}" for tool in names.tools.values()}
    modules |= {f"resources.{resource.module}" for resource in names.resources.values()}
    modules |= {f"prompts.{prompt.module}" for prompt in names.prompts.values()}
    modules |= {f"forms.{form.module}" for form in names.forms.values()}
    modules |= {f"types.{module}" for module in names.shared_modules.values()}
    facade = get_facade(package)
    imports = _render_exports(modules, facade, _list_sdk_exports(package, names))
    view = SimpleNamespace(imports=imports, facade=facade, choices=_render_choices(package))
    return Job(INIT_PATH, "package/init.py.j2", "", view)


def _render_choices(package: Package) -> str:
    """Return the keyword arguments of a package's object: what is not as the library has it by default."""
    arguments = [f"interface={INTERFACE}"]
    if package.protocol not in (None, get_default_protocol(get_sdk(package.sdk))):
        arguments.append(f"protocol={make_literal(package.protocol)}")
    if package.limits:
        limits = ", ".join(f"{make_literal(name)}: {limit}" for name, limit in package.limits)
        arguments.append(f"limits={{{limits}}}")
    return ", ".join(arguments)


def _list_sdk_exports(package: Package, names: PackageNames) -> dict[str, str]:
    if get_sdk(package.sdk) is None:
        return {}
    wanted = {"connect": package.has_client, "bind_resources": names.resources, "bind_prompts": names.prompts}
    return {name: module for name, module in SDK_EXPORTS.items() if wanted.get(name, True)}


def _render_exports(modules: Iterable[str], facade: str, sdk_exports: Mapping[str, str]) -> list[str]:
    """Return the statements that import what a package exports, and what its types need, as isort sorts them."""
    of_library = [(f"{facade}.types", make_sort_key(name), f"{name} as {name}") for name in EXPORTS]
    third_party = [("pydantic", make_sort_key("BaseModel"), "BaseModel as _BaseModel")]
    own = [(f".{module}", make_sort_key("*"), "*") for module in modules]
    own += [(f".{module}", make_sort_key(name), f"{name} as {name}") for name, module in sdk_exports.items()]
    (own if facade.startswith(".") else third_party).extend(of_library)
    first, second = (
        [f"from {module} import {name}" for module, _, name in sorted(group)] for group in (third_party, own)
    )
    return [*first, "", *second]
