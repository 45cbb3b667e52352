"""A named package to the text of all its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from mcpgen.ir.package import Package, ResourceModule, get_root_class
from mcpgen.ir.types import Node
from mcpgen.names.allocator import PackageNames, ResourceNames
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.render import class_views, header, server_client, typed_dicts
from mcpgen.render.exports import make_init_job
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, Job
from mcpgen.render.resource import make_resource_values
from mcpgen.render.scope import Scope
from mcpgen.render.tool import make_tool_job
from mcpgen.targets import SDK_GENERATIONS, SDK_TEXTS

STATIC_MODULES = (
    "answer applicators base blocks contents copies deep errors exact explain handled json_schema jsonable lazy "
    "lenient panics plain readers references resource_runtime runtime uris violations"
).split()
"""Modules that are the same in every package."""
SDK_MODULES = "binding calling contract".split()
"""Modules that are the same in every package for an SDK."""
EXTRA_TEMPLATES = {"azure": "integrations/azure.py"}
"""Modules that the settings ask for, and their templates."""


def make_package_jobs(
    package: Package, names: PackageNames, protocol: Callable[[], Job], contracts: Mapping[str, str]
) -> dict[str, Callable[[], Job]]:
    """How to make the job of every Python file of a package, by path; `contracts` are the hashes of its tools'."""
    shared = {node.id: node for node in package.shared}
    runtime = [*STATIC_MODULES, *(["text"] if any(tool.template is not None for tool in package.tools) else [])]
    todo: dict[str, Callable[[], Job]] = {f"{name}.py": _make_static_job(name) for name in runtime}
    todo |= {f"{name}.py": _make_static_job(name, EXTRA_TEMPLATES[name]) for name in package.extras}
    todo["protocol.py"] = protocol
    todo["limits.py"] = partial(Job, "limits.py", "runtime/limits.py.j2", "", asdict(package.limits))
    for tool in package.tools:
        todo[names.tools[tool.wire].path] = partial(make_tool_job, tool, names, shared)
    for one in package.resources:
        own = names.resources[one.wire]
        todo[own.path] = partial(_make_resource_job, one, own, shared, names.shared)
    if shared:
        scope = Scope(names.shared, shared, names.shared_twins)
        todo["types.py"] = partial(_make_types_job, package.shared, scope)
    for folder, filled in (("tools", package.tools), ("resources", package.resources)):
        if filled:
            path = f"{folder}/__init__.py"
            todo[path] = partial(Job, path, "package/folder.py.j2", "", {"folder": folder})
    if package.sdk != "none":
        todo |= _make_sdk_jobs(package, names, contracts)
    return todo | {"__init__.py": partial(make_init_job, package, names)}


def _make_static_job(name: str, template: str | None = None) -> Callable[[], Job]:
    return partial(Job, f"{name}.py", template or f"runtime/{name}.py", "", {})


def _make_sdk_jobs(package: Package, names: PackageNames, contracts: Mapping[str, str]) -> dict[str, Callable[[], Job]]:
    """The modules that bind handlers to the SDK's server, and call tools over its sessions."""
    generation = SDK_GENERATIONS[package.sdk]
    made = {name: _make_static_job(name) for name in SDK_MODULES}
    made["requests"] = _make_static_job("requests", f"sdk/{generation}/version_adapter.py")
    made["session"] = _make_static_job("session", f"sdk/{generation}/session.py")
    made["glue"] = _make_static_job("glue", f"sdk/{package.sdk}/server_adapter.py")
    if any(tool.content == "sdk" and tool.output is not None for tool in package.tools):
        made["sdk_text"] = _make_static_job("sdk_text", f"sdk/{SDK_TEXTS.get(package.sdk, package.sdk)}/text.py")
    made["server"] = lambda: _make_listing_job("server", server_client.make_server_values(package, names))
    made["client"] = lambda: _make_listing_job("client", server_client.make_client_values(package, names, contracts))
    return {f"{name}.py": make for name, make in made.items()}


def _make_listing_job(name: str, values: dict[str, Any]) -> Job:
    """A module that speaks of every tool."""
    return Job(f"{name}.py", f"package/{name}.py.j2", DEFINITIONS_ORIGIN, values, ".", frozenset(), True)


# --- tools -----------------------------------------------------------------------------------------------------------


# --- the other modules -----------------------------------------------------------------------------------------------
def _make_types_job(nodes: tuple[Node, ...], scope: Scope) -> Job:
    values = {
        "module": class_views.make_module_body(nodes, scope, {}),
        "twins": typed_dicts.make_typed_dict_views(nodes, scope),
    }
    return Job("types.py", "package/types.py.j2", DEFINITIONS_ORIGIN, values, ".", frozenset(), True)


def _make_resource_job(
    resource: ResourceModule, names: ResourceNames, shared: dict[str, Node], shared_names: Mapping[str, str]
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    own = None if resource.payload is None else get_root_class(resource.payload)
    reserved = {} if own is None else {own.id: RESOURCE_METHODS}
    by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**shared_names, **names.nested}, by_id, reserved=reserved)
    values = make_resource_values(resource, names, scope)
    imported = frozenset(shared_names[key] for key in shared)
    return Job(names.path, "package/resource.py.j2", resource.origin, values, "..", imported, True)


def render_other_files() -> dict[str, str]:
    """The files that are neither Python nor JSON."""
    attributes = "* linguist-generated=true\n"
    return {
        "py.typed": header.add_plain_header("", ""),
        ".gitattributes": header.add_plain_header(attributes, ""),
    }
