"""Render the lists of a package: `__init__.py`, which exports its names, and `index.py`, which has its tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen.ir.package import Package
from mcpgen.names.identifiers import make_method_name
from mcpgen.names.package_names import PackageNames
from mcpgen.render.imports import make_sort_key
from mcpgen.render.jobs import Job
from mcpgen.render.runtime_package import PACKAGE_EXPORTS, SDK_EXPORTS, get_runtime, render_requirement
from mcpgen.targets import get_sdk

INIT_PATH = "__init__.py"
INDEX_PATH = "index.py"
RESOURCE_INDEX_PATH = "resource_index.py"


@dataclass(frozen=True)
class InitView:
    """Variables of `package/init.py.j2`."""

    imports: list[str]
    """The statements that import what the package exports, as isort sorts them."""
    runtime: str
    """The package of the run-time modules."""
    requirement: str | None
    """The arguments with which it checks a shared run-time package; None: it has run-time modules of its own."""


@dataclass(frozen=True)
class IndexEntry:
    """A tool or resource in a list of them."""

    module: str
    attribute: str
    """The attribute that clients and servers have for it."""


@dataclass(frozen=True)
class IndexView:
    """Variables of `package/index.py.j2`, and of the lists of resources."""

    tools: list[IndexEntry]
    """The tools or resources, sorted by module."""


def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`. Of the package, only its settings count."""
    modules = {f"tools.{tool.module}" for tool in names.tools.values()}
    modules |= {f"resources.{resource.module}" for resource in names.resources.values()}
    modules |= {f"prompts.{prompt.module}" for prompt in names.prompts.values()}
    modules |= {f"types.{module}" for module in names.shared_modules.values()}
    runtime = get_runtime(package)
    sdk_exports = _list_sdk_exports(package.sdk, names)
    view = InitView(_render_exports(modules, runtime, sdk_exports), runtime, render_requirement(package))
    return Job(INIT_PATH, "package/init.py.j2", "", view)


def _list_sdk_exports(sdk: str, names: PackageNames) -> dict[str, str]:
    """Return the names that a package exports because it is for an SDK, and the module of each."""
    if get_sdk(sdk) is None:
        return {}
    missing = {"bind_resources"} if not names.resources else set[str]()
    missing |= {"bind_prompts"} if not names.prompts else set[str]()
    return {name: module for name, module in SDK_EXPORTS.items() if name not in missing}


def _render_exports(modules: Iterable[str], runtime: str, sdk_exports: Mapping[str, str]) -> list[str]:
    """Return the statements that import what a package exports: the names of the run-time modules, all of its own.

    Those of a run-time package that several share come first, before an empty line.
    """
    of_runtime = [(f"{runtime}.{module}", make_sort_key(name), name) for name, module in PACKAGE_EXPORTS.items()]
    exported = [(f".{module}", make_sort_key("*"), "*") for module in modules]
    exported += [(f".{module}", make_sort_key(name), name) for name, module in sdk_exports.items()]
    groups = [exported + of_runtime] if runtime.startswith(".") else [of_runtime, exported]
    lines = [_render_export(module, name) for group in groups for module, _, name in [("", (), ""), *sorted(group)]]
    return lines[1:]


def _render_export(module: str, name: str) -> str:
    if not module:
        return ""
    return f"from {module} import {name}" + ("" if name == "*" else f" as {name}")


def make_index_job(names: PackageNames) -> Job:
    """Make the job that renders `index.py`."""
    modules = sorted(tool.module for tool in names.tools.values())
    view = IndexView([IndexEntry(module, make_method_name(module)) for module in modules])
    return Job(INDEX_PATH, "package/index.py.j2", "", view)


def make_resource_index_job(names: PackageNames) -> Job:
    """Make the job that renders `resource_index.py`."""
    modules = sorted(resource.module for resource in names.resources.values())
    view = IndexView([IndexEntry(module, make_method_name(module)) for module in modules])
    return Job(RESOURCE_INDEX_PATH, "package/resource_index.py.j2", "", view)
