"""Render the lists of a package: `__init__.py`, which exports its names, and `index.py`, which has its tools."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.package import Package
from mcpgen.names.allocator import PackageNames
from mcpgen.names.identifiers import make_method_name
from mcpgen.render.jobs import Job
from mcpgen.render.runtime_package import get_runtime, render_requirement
from mcpgen.targets import get_sdk

INIT_PATH = "__init__.py"
INDEX_PATH = "index.py"


@dataclass(frozen=True)
class InitView:
    """Variables of `package/init.py.j2`."""

    modules: list[str]
    """The modules whose names the package exports, sorted."""
    serves: bool
    """The package is for an SDK, so it has `server.py` and `client.py`."""
    runtime: str
    """The package of the run-time modules."""
    requirement: str | None
    """The arguments with which it checks a shared run-time package; None: it has run-time modules of its own."""


@dataclass(frozen=True)
class IndexEntry:
    """A tool in `package/index.py.j2`."""

    module: str
    attribute: str
    """The attribute that clients and servers have for it."""


@dataclass(frozen=True)
class IndexView:
    """Variables of `package/index.py.j2`."""

    tools: list[IndexEntry]
    """Sorted by module."""


def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`."""
    modules = {f"tools.{tool.module}" for tool in names.tools.values()}
    modules |= {f"resources.{resource.module}" for resource in names.resources.values()}
    modules |= {f"types.{module}" for module in names.shared_modules.values()}
    serves, requirement = get_sdk(package.sdk) is not None, render_requirement(package)
    view = InitView(sorted(modules), serves, get_runtime(package), requirement)
    return Job(INIT_PATH, "package/init.py.j2", "", view)


def make_index_job(names: PackageNames) -> Job:
    """Make the job that renders `index.py`."""
    modules = sorted(tool.module for tool in names.tools.values())
    view = IndexView([IndexEntry(module, make_method_name(module)) for module in modules])
    return Job(INDEX_PATH, "package/index.py.j2", "", view)
