"""Jobs and texts of files whose content does not depend on a single tool or resource alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from mcpgen import targets
from mcpgen.ir.package import Package
from mcpgen.literals import make_literal
from mcpgen.lower.protocol_types import ROOT_TYPES, get_root_types, lower_protocol
from mcpgen.names.allocator import PackageNames, allocate_class_names
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.read.definitions import ProtocolSchema, ToolDefinition
from mcpgen.render import class_views
from mcpgen.render.jobs import Job
from mcpgen.render.json_writer import JsonText, render_json_value
from mcpgen.render.package import make_package_jobs
from mcpgen.render.scope import Scope
from mcpgen.schema.result_wrapper import has_object_type, wrap_schema


def make_jobs(
    package: Package, names: PackageNames, protocols: dict[str, ProtocolSchema], contracts: Mapping[str, str]
) -> dict[str, Callable[[], Job]]:
    """Return a function that makes the job of each Python file, by path.

    Jobs are large, so each is made when it is rendered. `contracts` are the hashes of the tools' contracts, by name.
    """
    return make_package_jobs(package, names, partial(make_protocol_job, package, protocols), contracts)


def make_protocol_job(package: Package, protocols: dict[str, ProtocolSchema]) -> Job:
    """Return the job that renders `protocol.py`."""
    generation = targets.SDK_GENERATIONS[package.sdk]
    newest = targets.HANDSHAKE_PROTOCOLS[-1] if generation == "mcp1" else targets.PROTOCOLS[-1]
    default = make_literal(package.protocol or newest)
    if generation is not None:
        return Job("protocol.py", f"protocol_{generation}.py.j2", "", {"default": default})
    root = lower_protocol(protocols)
    types = get_root_types(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = allocate_class_names(nodes, {}, (), RESERVED_NAMES - set(ROOT_TYPES))
    scope = Scope(names, {node.id: node for node in nodes})
    unions = [
        {"name": name, "type": scope.render_annotation(types[name])}
        for name in ROOT_TYPES
        if name not in names.values()
    ]
    values = {"default": default, "module": class_views.make_module_body(nodes, scope, {}), "unions": unions}
    return Job("protocol.py", "protocol_none.py.j2", "the MCP schemas", values, ".", frozenset(), True)


def render_wrapped_schema(tool: ToolDefinition) -> JsonText | None:
    """Render when a tool's result is wrapped, with its wrapped outputSchema; None if it is never wrapped."""
    if tool.output is None or has_object_type(tool.output.value):
        return None
    schema = wrap_schema(tool.output.value, tool.output.dialect)
    return render_json_value({"when": tool.choices.wrap or "legacy", "outputSchema": schema})


def count_default_contents(package: Package, definitions: Sequence[ToolDefinition]) -> int:
    """Count the tools with an outputSchema whose content is JSON because nobody has chosen a content strategy."""
    return sum(
        module.content == "json" and module.output is not None and not definition.choices.content_chosen
        for module, definition in zip(package.tools, definitions, strict=True)
    )
