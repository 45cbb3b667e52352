"""Render `__init__.py`: what a package exports, and from which module."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.package import Package, get_root_class
from mcpgen.ir.types import ObjectClass
from mcpgen.literals import Literal, make_literal
from mcpgen.names.allocator import PackageNames
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, Job
from mcpgen.targets import get_sdk


@dataclass(frozen=True)
class ClassEntry:
    """A class in one of the tables by wire name."""

    wire: Literal
    name: str


@dataclass(frozen=True)
class ExportEntry:
    """A name that the package exports, and the module that defines it."""

    name: str
    module: str


@dataclass(frozen=True)
class InitView:
    """Variables of `package/init.py.j2`."""

    results: list[ClassEntry]
    arguments: list[ClassEntry]
    resources: list[ClassEntry]
    exports: list[ExportEntry]
    serves: bool
    """The package has the modules that depend on an SDK: `server.py` and `client.py`."""


def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`."""
    tools = [(make_literal(tool.wire), names.tools[tool.wire]) for tool in package.tools]
    view = InitView(
        results=[ClassEntry(wire, tool_names.result) for wire, tool_names in tools],
        arguments=[ClassEntry(wire, tool_names.arguments) for wire, tool_names in tools],
        resources=[
            ClassEntry(make_literal(resource.wire), names.resources[resource.wire].name)
            for resource in package.resources
        ],
        exports=[ExportEntry(name, module) for name, module in sorted(_collect_exports(package, names).items())],
        serves=get_sdk(package.sdk) is not None,
    )
    return Job("__init__.py", "package/init.py.j2", DEFINITIONS_ORIGIN, view)


def _collect_exports(package: Package, names: PackageNames) -> dict[str, str]:
    """Return the module of each exported name."""
    exports: dict[str, str] = {}
    for tool in package.tools:
        tool_names = names.tools[tool.wire]
        module = f".tools.{tool_names.module}"
        exports[tool_names.result] = exports[tool_names.arguments] = module
        if tool.output is not None and (result_class := get_root_class(tool.output)) is not None:
            exports[tool_names.twins[result_class.id]] = module
    for resource in package.resources:
        resource_names = names.resources[resource.wire]
        for name in (resource_names.name, resource_names.parameters):
            if name is not None:
                exports[name] = f".resources.{resource_names.module}"
    for node in package.shared:
        exports[names.shared[node.id]] = ".types"
        if isinstance(node, ObjectClass):
            exports[names.shared_twins[node.id]] = ".types"
    return exports
