"""Render the JSON files of a package, one beside the module of each tool and resource."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcpgen.files.ownership import HASH_LABEL
from mcpgen.names.identifiers import make_method_name
from mcpgen.read.definitions import (
    FormDefinition,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
    find_content_strategy,
)
from mcpgen.render.header import LINTERS_OFF, describe_origin, hash_body
from mcpgen.schema.values import Json

INSTRUCTIONS_PATH = "instructions.json"


def add_json_header(content: Mapping[str, Json], origin: str) -> str:
    """Return a JSON file whose first member, `generated`, has the content of the header."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    generated: Json = {"by": describe_origin(origin), HASH_LABEL: hash_body(canonical)}
    return json.dumps({"generated": generated, **content}, indent=1) + "\n"


def record_module(record: str, module: str) -> str:
    """Return a JSON file whose header has the hash of the module beside it, after its own and a space."""
    start, label, rest = record.partition(f'"{HASH_LABEL}": "')
    digest, quote, rest = rest.partition('"')
    return f"{start}{label}{digest} {hash_body(module.partition(LINTERS_OFF)[2])}{quote}{rest}"


def render_tool_json(definition: ToolDefinition, module: str, wrapped: Json, contract: str) -> str:
    """Return the JSON file of a tool; `wrapped` says how its outputSchema is advertised in another form."""
    content: dict[str, Json] = {"tool": definition.tool}
    if wrapped is not None:
        content["wrapped"] = wrapped
    if find_content_strategy(definition) == "link":
        content["linked"] = True
    if definition.is_output_from_settings:
        content["outputSchemaFrom"] = "settings"
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = attribute
    if definition.error is not None:
        content["error"] = definition.error.value
    content["contract"] = contract
    return add_json_header(content, definition.origin)


def render_resource_json(definition: ResourceDefinition, module: str) -> str:
    """Return the JSON file of a resource: the Resource or ResourceTemplate as declared, and the schema of its text."""
    content: dict[str, Json] = {"resource": definition.resource}
    if definition.name != definition.wire_name:
        content["key"] = definition.name
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = attribute
    if definition.payload is not None:
        content["schema"] = definition.payload.value
    return add_json_header(content, definition.origin)


def render_prompt_json(definition: PromptDefinition, module: str) -> str:
    """Return the JSON file of a prompt: the Prompt as declared, and the values that its arguments may have."""
    content: dict[str, Json] = {"prompt": definition.prompt}
    values: dict[str, Json] = {
        argument.wire: [*argument.values] for argument in definition.arguments if argument.values
    }
    if values:
        content["completions"] = values
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = attribute
    return add_json_header(content, definition.origin)


def render_form_json(definition: FormDefinition, module: str) -> str:
    """Return the JSON file of a form as declared."""
    content: dict[str, Json] = {"form": definition.form}
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = attribute
    return add_json_header(content, definition.origin)


def render_instructions(instructions: list[str]) -> dict[str, str]:
    """Return the JSON file of the servers' instructions, by path; none if there are no instructions."""
    if not instructions:
        return {}
    content = {"instructions": "\n\n".join(instructions)}
    return {INSTRUCTIONS_PATH: add_json_header(content, "the definitions")}
