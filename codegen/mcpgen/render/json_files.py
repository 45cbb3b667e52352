"""JSON files of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render import header
from mcpgen.render.jobs import DEFINITIONS_ORIGIN
from mcpgen.render.json_writer import JsonText, render_json_array, render_json_object, render_json_value


def render_tools_json(tools: Iterable[JsonText], wrapped: Mapping[str, JsonText]) -> str:
    """`tools.json`: the Tools as declared, and the wrapped outputSchema of those that need one."""
    return header.add_json_header(
        {"tools": render_json_array(tools), "wrapped": render_json_object(wrapped)}, DEFINITIONS_ORIGIN
    )


def render_resources_json(resources: Sequence[ResourceDefinition]) -> str:
    """`resources.json`: the Resources and ResourceTemplates as declared, and the schemas of their JSON texts."""
    fixed = [render_json_value(one.resource) for one in resources if "uri" in one.resource]
    templates = [render_json_value(one.resource) for one in resources if "uriTemplate" in one.resource]
    schemas = {one.name: render_json_value(one.payload.value) for one in resources if one.payload is not None}
    held = {
        "resources": render_json_array(fixed),
        "resourceTemplates": render_json_array(templates),
        "schemas": render_json_object(schemas),
    }
    return header.add_json_header(held, DEFINITIONS_ORIGIN)
