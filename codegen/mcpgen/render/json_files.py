"""JSON files of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render import header
from mcpgen.render.jobs import ALL
from mcpgen.render.json_writer import Text, array, members, written


def tools_json(tools: Iterable[Text], wrapped: Mapping[str, Text]) -> str:
    """`tools.json`: the Tools as declared, and the wrapped outputSchema of those that need one."""
    return header.json_with_header({"tools": array(tools), "wrapped": members(wrapped)}, ALL)


def resources_json(resources: Sequence[ResourceDefinition]) -> str:
    """`resources.json`: the Resources and ResourceTemplates as declared, and the schemas of their JSON texts."""
    fixed = [written(one.resource) for one in resources if "uri" in one.resource]
    templates = [written(one.resource) for one in resources if "uriTemplate" in one.resource]
    schemas = {one.name: written(one.payload.value) for one in resources if one.payload is not None}
    held = {"resources": array(fixed), "resourceTemplates": array(templates), "schemas": members(schemas)}
    return header.json_with_header(held, ALL)
