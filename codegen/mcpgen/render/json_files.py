"""Render the JSON files of a package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render import header
from mcpgen.render.jobs import DEFINITIONS_ORIGIN
from mcpgen.render.json_writer import JsonText, render_json_array, render_json_object, render_json_value


def render_tools_json(tools: Iterable[JsonText], wrapped: Mapping[str, JsonText]) -> str:
    """Return `tools.json`: the Tools as declared, and by name the wrapped outputSchema of those that need one."""
    return header.add_json_header(
        {"tools": render_json_array(tools), "wrapped": render_json_object(wrapped)}, DEFINITIONS_ORIGIN
    )


def render_resources_json(resources: Sequence[ResourceDefinition]) -> str:
    """Return `resources.json`: the Resources and ResourceTemplates as declared, and the schemas of their JSON texts."""
    fixed = [render_json_value(definition.resource) for definition in resources if "uri" in definition.resource]
    templates = [
        render_json_value(definition.resource) for definition in resources if "uriTemplate" in definition.resource
    ]
    schemas = {
        definition.name: render_json_value(definition.payload.value)
        for definition in resources
        if definition.payload is not None
    }
    members = {
        "resources": render_json_array(fixed),
        "resourceTemplates": render_json_array(templates),
        "schemas": render_json_object(schemas),
    }
    return header.add_json_header(members, DEFINITIONS_ORIGIN)
