"""The view of the package module."""

from __future__ import annotations

from typing import Any

from mcpgen.ir.package import Package, get_root_class
from mcpgen.ir.types import ObjectClass
from mcpgen.literals import make_literal
from mcpgen.names.allocator import PackageNames
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, Job


def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`."""
    results = [{"wire": make_literal(tool.wire), "name": names.tools[tool.wire].result} for tool in package.tools]
    arguments = [{"wire": make_literal(tool.wire), "name": names.tools[tool.wire].arguments} for tool in package.tools]
    resources = [{"wire": make_literal(one.wire), "name": names.resources[one.wire].name} for one in package.resources]
    exports: dict[str, str] = {}
    for tool in package.tools:
        own = names.tools[tool.wire]
        exports[own.result] = exports[own.arguments] = f".tools.{own.module}"
        if tool.output is not None and (top := get_root_class(tool.output)) is not None:
            exports[own.twins[top.id]] = f".tools.{own.module}"
    for one in package.resources:
        held = names.resources[one.wire]
        for name in (held.name, held.parameters):
            if name is not None:
                exports[name] = f".resources.{held.module}"
    for node in package.shared:
        exports[names.shared[node.id]] = ".types"
        if isinstance(node, ObjectClass):
            exports[names.shared_twins[node.id]] = ".types"
    listed = [{"name": name, "module": module} for name, module in sorted(exports.items())]
    values: dict[str, Any] = {"results": results, "arguments": arguments, "resources": resources, "exports": listed}
    values["serves"] = package.sdk != "none"
    return Job("__init__.py", "package/init.py.j2", DEFINITIONS_ORIGIN, values)
