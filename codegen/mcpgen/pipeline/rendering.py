"""Jobs and texts of files whose content does not depend on a single tool or resource alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mcpgen.config.models import PackageSettings
from mcpgen.ir.package import Package
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.pipeline.lowering import make_package
from mcpgen.read.definitions import ProtocolSchema, ToolDefinition
from mcpgen.render.jobs import Job
from mcpgen.render.json_files import render_tool_json
from mcpgen.render.json_writer import JsonText, render_json_value
from mcpgen.render.package import make_package_jobs
from mcpgen.render.protocol import ProtocolTypes, make_protocol_job, make_protocol_types
from mcpgen.render.runtime_package import make_shared_runtime_jobs
from mcpgen.schema.object_roots import implies_object
from mcpgen.schema.result_wrapper import has_object_type, list_moved_references
from mcpgen.schema.values import Json
from mcpgen.targets import get_sdk


def make_jobs(
    package: Package, names: PackageNames, make_types: Callable[[], ProtocolTypes]
) -> dict[str, Callable[[], Job]]:
    """Return a function that makes the job of each Python file, by path.

    Jobs are large, so each is made when it is rendered; `make_types` makes the types of the protocol.
    """
    return make_package_jobs(package, names, partial(make_protocol_job, package, make_types))


def make_runtime_jobs(settings: PackageSettings, protocols: dict[str, ProtocolSchema]) -> dict[str, Callable[[], Job]]:
    """Return a function that makes the job of each Python file of a run-time package, by path."""
    package = make_package([], [], settings)
    make_types = partial(make_protocol_types, protocols)
    return make_shared_runtime_jobs(package, partial(make_protocol_job, package, make_types))


def has_own_protocol_types(settings: PackageSettings) -> bool:
    """Tell whether a package has types of the protocol that are generated: it uses no SDK, and no run-time package."""
    return get_sdk(settings.sdk) is None and settings.runtime is None


def render_tool_definition(tool: ToolDefinition, names: ToolNames, contract_hash: str) -> str:
    """Return the JSON file of a tool."""
    declared, wrapped = render_json_value(tool.tool), _render_wrapping(tool)
    is_from_settings = tool.is_output_from_settings
    return render_tool_json(
        tool.origin, names.module, declared, wrapped, contract_hash, is_output_from_settings=is_from_settings
    )


def _render_wrapping(tool: ToolDefinition) -> JsonText | None:
    """Render when a tool's outputSchema is advertised in another form, and how that is derived; None if it never is.

    The form is a wrapper, or the schema with `"type": "object"` where its root only implies that.
    """
    if tool.output is None or has_object_type(tool.output.value):
        return None
    schema, dialect = tool.output.value, tool.output.dialect
    if implies_object(schema, dialect):
        return render_json_value({"when": "legacy", "as": "object"})
    wrapping: dict[str, Json] = {"when": tool.wrapping, "as": "result"}
    if references := list_moved_references(schema, dialect):
        wrapping["references"] = [*references]
    return render_json_value(wrapping)
