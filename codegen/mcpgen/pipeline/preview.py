"""IR and Python names of definitions whose files are not rendered, for `diff`."""

from __future__ import annotations

from mcpgen.cache.memory import Memory
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import Package
from mcpgen.names.allocator import PackageNames
from mcpgen.pipeline.cached_steps import CachedSteps
from mcpgen.pipeline.lowering import make_package
from mcpgen.pipeline.progress import ignore_progress
from mcpgen.read.definitions import Definitions
from mcpgen.workers import Workers


def lower_and_name(
    definitions: Definitions, settings: PackageSettings, jobs_count: int
) -> tuple[Package, PackageNames]:
    """Return the package that `build` would render, and its names. Its findings are dropped: `build` reports them."""
    dropped = Findings()
    with Workers(jobs_count) as workers:
        steps = CachedSteps(Memory(), workers, ignore_progress)
        tools = steps.lower_tools(definitions.tools, settings, dropped)
        resources = steps.lower_resources(definitions.resources, settings, dropped)
    package = make_package(tools, resources, settings)
    return package, steps.allocate_names(package, definitions, dropped)
