"""Recognize documents that people take for definitions: OpenAPI, configurations, functions of other APIs, results."""

from __future__ import annotations

from mcpgen.schema.keywords import KEYWORDS
from mcpgen.schema.values import Json

_SCHEMA_MARKS = frozenset(
    "type properties items enum const anyOf oneOf allOf $ref format required additionalProperties".split()
)
"""Keywords of which a schema of a property has at least one."""


_LISTS = {
    "tools": '{"name": …, "inputSchema": …}',
    "resources": '{"uri": …, "name": …}',
    "resourceTemplates": '{"uriTemplate": …, "name": …}',
    "prompts": '{"name": …}',
}
"""Members of answers to `tools/list` and the like, and what they hold."""


def explain_foreign_document(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what a whole document is that defines nothing here, and what to do; None if it is nothing known."""
    if isinstance(value.get("openapi"), str) or isinstance(value.get("swagger"), str):
        return (
            "an OpenAPI document",
            "copy each result's schema out of it into a file named after its tool, such as schemas/get_weather.json; "
            'write `"nullable": true` as "type": ["string", "null"]',
        )
    servers = value.get("mcpServers") or (value.get("servers") if {"inputs", "servers"} >= value.keys() else None)
    if isinstance(servers, dict):
        return (
            "a client's configuration, which names servers and defines no tools",
            "fetch the tools of its servers: `mcpgen pull --from FILE`; move the file out of this folder",
        )
    if isinstance(value.get("version"), str) and {"dependencies", "devDependencies", "scripts"} & value.keys():
        return "a package.json", "move it out of the folder of definitions"
    return explain_foreign_tool(value)


def explain_foreign_tool(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what an object is that stands where a Tool belongs, and what to do; None if it is nothing known."""
    function = value.get("function") if value.get("type") == "function" else None
    if isinstance(function, dict) or ("name" in value and isinstance(value.get("parameters"), dict)):
        return (
            "a function of a model's API, not an MCP Tool",
            'write {"name": …, "description": …, "inputSchema": …}, with its "parameters" as the inputSchema',
        )
    return None


def explain_shape(value: dict[str, Json]) -> tuple[str, str] | None:
    """Return what an object that is no definition looks like by its members, and what to do; None if like nothing."""
    for name, example in _LISTS.items():
        if name in value and not isinstance(value[name], list):
            return f'a listing whose "{name}" is not a list', f'write {{"{name}": [{example}]}}'
    members = [member for name, member in value.items() if not name.startswith(("$", "x-"))]
    objects = [member for member in members if isinstance(member, dict)]
    if not members or len(objects) < len(members):
        if members and not KEYWORDS & value.keys() and not any(_is_schema(member) for member in objects):
            return (
                "a value, such as a tool's result, and not a schema",
                'describe it: {"type": "object", "properties": {…}}; '
                "`mcpgen learn` proposes a schema from recorded results",
            )
        return None
    if all("inputSchema" in member for member in objects):
        return "Tools by name", 'write them as a list: {"tools": [{"name": …, "inputSchema": …}]}'
    if all(_is_schema(member) for member in objects):
        return (
            'the "properties" of a schema, without the schema around them',
            'put them into one: {"type": "object", "properties": {…}}',
        )
    return None


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict) and bool(_SCHEMA_MARKS & value.keys())
