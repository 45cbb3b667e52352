"""Render the JSON files of a package, one beside the module of each tool and resource."""

from __future__ import annotations

from mcpgen.names.identifiers import make_method_name
from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render import header
from mcpgen.render.json_writer import JsonText, render_json_value

INSTRUCTIONS_PATH = "instructions.json"


def render_tool_json(
    origin: str,
    module: str,
    tool: JsonText,
    wrapped: JsonText | None,
    contract: str,
    *,
    is_output_from_settings: bool = False,
) -> str:
    """Return the JSON file of a tool.

    Args:
        origin: the file of its definition.
        module: the name of its module.
        tool: the Tool as declared.
        wrapped: when its outputSchema is advertised in another form, and how that is derived; None: it never is.
        contract: the hash of its contract.
        is_output_from_settings: whether only the settings give it an outputSchema.
    """
    content = {"tool": tool}
    if wrapped is not None:
        content["wrapped"] = wrapped
    if is_output_from_settings:
        content["outputSchemaFrom"] = render_json_value("settings")
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = render_json_value(attribute)
    content["contract"] = render_json_value(contract)
    return header.add_json_header(content, origin)


def render_resource_json(definition: ResourceDefinition, module: str) -> str:
    """Return the JSON file of a resource: the Resource or ResourceTemplate as declared, and the schema of its text.

    Args:
        definition: the resource.
        module: the name of its module.
    """
    content = {"resource": render_json_value(definition.resource)}
    if definition.name != definition.wire_name:
        content["key"] = render_json_value(definition.name)
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = render_json_value(attribute)
    if definition.payload is not None:
        content["schema"] = render_json_value(definition.payload.value)
    return header.add_json_header(content, definition.origin)


def render_instructions(instructions: list[str]) -> dict[str, str]:
    """Return the JSON file of the servers' instructions, by path; none if there are no instructions."""
    if not instructions:
        return {}
    content = {"instructions": render_json_value("\n\n".join(instructions))}
    return {INSTRUCTIONS_PATH: header.add_json_header(content, "the definitions")}
