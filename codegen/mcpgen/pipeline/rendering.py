"""Render the JSON file of a tool."""

from __future__ import annotations

from mcpgen.names.package_names import ToolNames
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.json_files import JsonText, render_json_value, render_tool_json
from mcpgen.schema.object_roots import has_object_type, implies_object, list_moved_references
from mcpgen.schema.values import Json


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
